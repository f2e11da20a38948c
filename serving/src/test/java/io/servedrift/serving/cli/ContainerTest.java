package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.servedrift.serving.node.ServingNode;
import io.servedrift.serving.node.http.NodeServer;
import io.servedrift.serving.score.AsyncScorerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The Dockerfile and the node's services, as far as they can be checked without an engine. */
class ContainerTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern DEFAULT = Pattern.compile("\\$\\{[A-Z_]+:-([^}]*)}");

  private static List<String> dockerfile() throws IOException {
    return Files.readAllLines(ROOT.resolve("serving/Dockerfile"));
  }

  private static JsonNode service(String name) throws IOException {
    return new YAMLMapper()
        .readTree(ROOT.resolve("docker-compose.yml").toFile())
        .path("services")
        .path(name);
  }

  @Test
  void givesTheNodeSettingsThatItKnows() throws IOException {
    ServeOptions options = options();

    assertThat(options.publish().publisher().kafka())
        .containsEntry("bootstrap.servers", "kafka:29092");
    assertThat(options.engine().model()).isEqualTo(Path.of("/opt/servedrift/models/scenes"));
    assertThat(ROOT.resolve("serving/models/scenes/pipeline.json")).exists();
    assertThat(options.scorer()).isEqualTo(Path.of("/opt/servedrift/models/clip-scenes"));
    assertThat(ROOT.resolve("serving/models/clip-scenes/scorer.json")).exists();
  }

  /** The settings of the service {@code node}, with every variable at its default. */
  private static ServeOptions options() throws IOException {
    Map<String, String> environment = new HashMap<>();
    service("node")
        .path("environment")
        .properties()
        .forEach(
            each ->
                environment.put(
                    each.getKey(),
                    DEFAULT
                        .matcher(each.getValue().asText())
                        .replaceAll(found -> Matcher.quoteReplacement(found.group(1)))));

    return ServeOptions.of(
        new SettingSources(ServeSettings.all()).read(Map.of(), Map.of(), environment, null));
  }

  /** Killed while it stops, a node leaves requests unanswered and events unsent. */
  @Test
  void leavesTimeToStop() throws IOException {
    ServeOptions options = options();
    // The publisher waits for what is in flight, then closes its producer, each so long at most.
    Duration longest =
        options
            .node()
            .drain()
            .plus(ServingNode.LONGEST_STOP)
            .plus(NodeServer.LONGEST_STOP)
            .plus(AsyncScorerSettings.defaults("any").drainTimeout())
            .plus(options.publish().publisher().closeTimeout().multipliedBy(2));
    for (String name : List.of("node", "node-gpu")) {
      String grace = service(name).path("stop_grace_period").asText();
      assertThat(grace).as(name).matches("\\d+s");
      assertThat(Integer.parseInt(grace.replace("s", "")))
          .as(name)
          .isGreaterThan((int) longest.toSeconds());
    }
  }

  @Test
  void buildsBothImagesFromEveryModule_pinned_asAUserThatIsNotRoot() throws IOException {
    Matcher module =
        Pattern.compile("<module>([a-z]+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    while (module.find()) {
      assertThat(dockerfile()).contains("COPY " + module.group(1) + " " + module.group(1));
    }
    int images = 0;
    for (String line : dockerfile()) {
      if (line.startsWith("COPY ") && !line.contains("--from=")) {
        List<String> words = List.of(line.split(" ", -1));
        assertThat(ROOT.resolve(words.get(words.size() - 2))).as(line).exists();
      }
      if (line.startsWith("FROM ")) {
        images++;
        assertThat(line).matches("FROM [a-z/-]+:\\d+\\.\\d+\\.\\d+[a-z0-9_.-]* AS (build|cpu|gpu)");
      }
    }
    assertThat(images).isEqualTo(3);
    assertThat(dockerfile().stream().filter(line -> line.startsWith("USER ")).toList())
        .hasSize(images - 1)
        .allMatch(line -> line.matches("USER [1-9]\\d*:[1-9]\\d*"));
  }
}
