package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServedConfigTest {
  private static final String NONE = "{\"loaded_adapters\":[],\"active\":{}}";
  private static final String MERGED =
      "{\"active\":{\"transformer\":[{\"nickname\":\"a\",\"path\":\"/l/a\",\"merged\":true}]}}";

  @TempDir private Path folder;
  private Path info;
  private Path adapters;
  private final Instant[] now = {Instant.parse("2026-09-20T10:00:00Z")};
  private int written;

  private final Clock clock =
      new Clock() {
        @Override
        public ZoneOffset getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return now[0];
        }
      };

  @BeforeEach
  void write() throws IOException {
    info = folder.resolve("info.json");
    adapters = folder.resolve("adapters.json");
    save(info, "{\"model_path\":\"m\",\"num_gpus\":1}");
    save(adapters, NONE);
  }

  /** With a time of its own: file systems may tell no shorter times than a few milliseconds. */
  private void save(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.from(now[0].plusSeconds(++written)));
  }

  private ServedConfig served(String deployment) {
    return ServedConfig.of(List.of(info, adapters), clock, deployment, "gpu-0");
  }

  private List<String> news(ServedConfig served) {
    now[0] = now[0].plus(Duration.ofSeconds(5));
    return served.news().stream().map(ServedConfigTest::kind).toList();
  }

  private static String kind(ObjectNode event) {
    return event.path("kind").asText(event.path("type").asText());
  }

  @Test
  void tellsThatAnAdapterWasMerged_onceAFileSaysSo() throws IOException {
    ServedConfig served = served("image-gen");

    assertThat(news(served)).containsExactly("config");
    assertThat(news(served)).isEmpty();
    save(adapters, MERGED);
    assertThat(served.now().orElseThrow().config().toString()).doesNotContain("active_adapters");
    assertThat(news(served)).containsExactly("config", "config_changed", "adapter_merged");
    assertThat(served.now().orElseThrow().config().at("/extra/active_adapters/0/nickname").asText())
        .isEqualTo("a");
    save(adapters, NONE);
    assertThat(news(served)).containsExactly("config", "config_changed", "adapter_unmerged");
  }

  @Test
  void keepsWhatItKnows_whileAFileCannotBeUsed() throws IOException {
    ServedConfig served = served("image-gen");
    assertThat(news(served)).containsExactly("config");

    save(adapters, "{\"active\":");
    assertThat(news(served)).isEmpty();
    assertThat(served.now().orElseThrow().model().toString()).isEqualTo("{\"name\":\"m\"}");
    Files.delete(adapters);
    assertThat(news(served)).isEmpty();
    save(adapters, MERGED);
    assertThat(news(served)).contains("adapter_merged");
  }

  @Test
  void changesWhatServesTheRecords_alsoWhereNoDeploymentCanBeNamed() throws IOException {
    ServedConfig served = served(null);
    save(adapters, MERGED);

    assertThat(news(served)).isEmpty();
    assertThat(served.now().orElseThrow().config().toString()).contains("active_adapters");
  }

  @Test
  void saysWhichFilesAreHalfWritten() throws IOException {
    save(info, "{\n\"model_path\":\"m\",\n\"num_g");
    save(adapters, "no configuration");

    assertThatThrownBy(() -> served("image-gen"))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContainingAll(
            info + ": holds JSON that ends in the middle at line 3, column 7; must be whole",
            adapters + ": holds no configuration; must be an answer of /server_info");
  }
}
