package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ConfigFingerprint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONFIG =
      """
      {"runtime":{"name":"sglang","version":"0.5.7"},"batching":{"max_batch_size":8},
       "cache":{"hit_rate_now":0.3},"extra":{"api_key":"sk-very-secret"}}""";
  private static final String MODEL = "{\"name\":\"flux-dev\",\"revision\":\"r1\"}";

  private final CommandLineHarness harness = new CommandLineHarness();

  @TempDir private Path folder;

  @Test
  void fingerprintsBareConfigEventAndInlineMembersAlike() throws IOException {
    String wanted = "config_id " + ConfigFingerprint.ofConfig(JSON.readTree(CONFIG)).id() + "\n";
    String event =
        "{\"type\":\"config\",\"at\":\"2026-11-30T10:00:00Z\",\"deployment\":\"d\",\"config\":"
            + CONFIG
            + "}";

    assertThat(fingerprint(CONFIG)).isEqualTo(wanted).hasSize("config_id \n".length() + 16);
    assertThat(fingerprint(event)).isEqualTo(wanted);
    assertThat(fingerprint("{\"config\":" + CONFIG + ",\"model\":" + MODEL + "}"))
        .isEqualTo(wanted + fingerprint(MODEL));
    assertThat(fingerprint(MODEL))
        .isEqualTo("model_id " + ConfigFingerprint.ofModel(JSON.readTree(MODEL)).id() + "\n");
  }

  @Test
  void showsWhatCountsWhatDoesNotAndWhatWasDropped() throws IOException {
    assertThat(harness.run("config", "show", file("a.json", CONFIG))).isZero();

    assertThat(harness.out())
        .contains("  runtime.name = \"sglang\"\n", "  batching.max_batch_size = 8\n")
        .contains("not counted\n  cache.hit_rate_now = 0.3\n")
        .contains("dropped, may be secret\n  extra.api_key\n")
        .doesNotContain("sk-very-secret");
  }

  @Test
  void showsTheSameAsJson() throws IOException {
    assertThat(harness.run("config", "show", "--json", file("a.json", CONFIG))).isZero();

    JsonNode config = JSON.readTree(harness.out()).path("config");
    assertThat(config.path("id").asText()).hasSize(16);
    assertThat(config.at("/counted/runtime/version").asText()).isEqualTo("0.5.7");
    assertThat(config.at("/not_counted/cache/hit_rate_now").asDouble()).isEqualTo(0.3);
    assertThat(config.at("/dropped/0").asText()).isEqualTo("extra.api_key");
  }

  @Test
  void showsEachLeafThatDiffers() throws IOException {
    String other = CONFIG.replace("0.5.7", "0.5.8").replace("0.3", "0.4");

    int code = harness.run("config", "diff", file("a.json", CONFIG), file("b.json", other));

    assertThat(code).isZero();
    assertThat(harness.out())
        .containsPattern("config_id [0-9a-f]{16} -> [0-9a-f]{16}\n")
        .contains("runtime.version: \"0.5.7\" -> \"0.5.8\"")
        .contains("cache.hit_rate_now: 0.3 -> 0.4  (not counted)")
        .doesNotContain("runtime.name");
  }

  @Test
  void showsDifferencesAsJson() throws IOException {
    String other = CONFIG.replace(",\"version\":\"0.5.7\"", "");

    harness.run("config", "diff", "--json", file("a.json", CONFIG), file("b.json", other));

    JsonNode change = JSON.readTree(harness.out()).at("/config/changes/0");
    assertThat(change.path("path").asText()).isEqualTo("runtime.version");
    assertThat(change.path("left").asText()).isEqualTo("0.5.7");
    assertThat(change.path("right").isNull()).isTrue();
    assertThat(change.path("counts").asBoolean()).isTrue();
  }

  @Test
  void refusesToCompareConfigWithModel() throws IOException {
    assertThat(harness.run("config", "diff", file("a.json", CONFIG), file("b.json", MODEL)))
        .isEqualTo(2);
    assertThat(harness.err()).contains("one holds a config, the other a model");
  }

  @Test
  void saysWhatIsWrong_whenTheFileIsUnusable() throws IOException {
    assertThat(harness.run("config", "show", folder.resolve("none.json").toString())).isEqualTo(2);
    assertThat(harness.run("config", "show", file("cut.json", "{\"runtime\":"))).isEqualTo(2);
    assertThat(harness.run("config", "show", file("two.json", "{} {}"))).isEqualTo(2);
    assertThat(harness.run("config", "show", file("list.json", "[]"))).isEqualTo(2);
    assertThat(harness.run("config", "show", file("other.json", "{\"type\":\"tick\"}")))
        .isEqualTo(2);

    assertThat(harness.err())
        .contains("none.json: no such file")
        .contains("cut.json: not one JSON object")
        .contains("two.json: not one JSON object")
        .contains("list.json: must be one JSON object")
        .contains("other.json: has neither a config nor a model object");
    assertThat(harness.out()).isEmpty();
  }

  @Test
  void failsWithUsage_whenSubcommandIsMissing() {
    assertThat(harness.run("config")).isEqualTo(2);
    assertThat(harness.err()).contains("a command is missing", "'servedrift config --help'");
  }

  private static String fingerprint(String json) {
    CommandLineHarness own = new CommandLineHarness().stdin(json);
    assertThat(own.run("config", "fingerprint", "-")).isZero();
    return own.out();
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }
}
