package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * {@code docker-compose.yml} and the Dockerfile, as far as they can be checked without an engine.
 */
class ComposeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern DEFAULT = Pattern.compile("\\$\\{[A-Z_]+:-([^}]*)}");

  private static Map<String, JsonNode> services() throws IOException {
    Map<String, JsonNode> services = new LinkedHashMap<>();
    new YAMLMapper()
        .readTree(ROOT.resolve("docker-compose.yml").toFile())
        .path("services")
        .properties()
        .forEach(service -> services.put(service.getKey(), service.getValue()));
    assertThat(services)
        .containsKeys("kafka", "topics", "monitor", "prometheus", "alertmanager", "grafana");
    return services;
  }

  /** The text with the defaults of its variables. */
  private static String filled(String text) {
    return DEFAULT
        .matcher(text)
        .replaceAll(variable -> Matcher.quoteReplacement(variable.group(1)));
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(filled(each.asText())));
    return texts;
  }

  @Test
  void isValid_withEveryProfile() throws Exception {
    Process process =
        new ProcessBuilder(
                "docker-compose", "--profile", "demo", "--profile", "gpu", "config", "-q")
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
  }

  @Test
  void publishesPortsOnLoopbackOnly() throws IOException {
    Set<String> taken = new HashSet<>();
    services()
        .forEach(
            (name, service) -> {
              assertThat(service.has("network_mode")).as(name).isFalse();
              for (String port : texts(service.path("ports"))) {
                assertThat(port).as(name).matches("127\\.0\\.0\\.1:\\d+:\\d+");
                assertThat(taken.add(port.split(":", -1)[1]))
                    .as("%s: %s twice", name, port)
                    .isTrue();
              }
            });
    assertThat(taken).contains("8080", "9092");
  }

  @Test
  void pinsEveryImage() throws IOException {
    services()
        .forEach(
            (name, service) ->
                assertThat(filled(service.path("image").asText()))
                    .as(name)
                    .matches("[a-z/-]+:v?\\d+\\.\\d+\\.\\d+"));
  }

  @Test
  void runsNothingAsRoot() throws IOException {
    services()
        .forEach(
            (name, service) -> {
              assertThat(service.path("user").asText())
                  .as(name)
                  .isNotEmpty()
                  .doesNotMatch("(root|0)(:.*)?");
              assertThat(service.path("privileged").asBoolean()).as(name).isFalse();
            });
  }

  @Test
  void checksTheHealthOfEachServiceThatStays() throws IOException {
    Set<String> ending = new HashSet<>();
    for (JsonNode service : services().values()) {
      service
          .path("depends_on")
          .properties()
          .forEach(
              on -> {
                if (on.getValue()
                    .path("condition")
                    .asText()
                    .equals("service_completed_successfully")) {
                  ending.add(on.getKey());
                }
              });
    }
    assertThat(ending).containsExactly("topics");
    services()
        .forEach(
            (name, service) ->
                assertThat(service.path("healthcheck").path("test").isEmpty())
                    .as(name)
                    .isEqualTo(ending.contains(name)));
  }

  @Test
  void mountsWhatThereIs_readOnly() throws IOException {
    List<String> mounted = new ArrayList<>();
    services()
        .forEach(
            (name, service) -> {
              for (String volume : texts(service.path("volumes"))) {
                if (volume.startsWith(".")) {
                  assertThat(volume).as(name).endsWith(":ro");
                  String file = volume.substring(0, volume.indexOf(':'));
                  assertThat(ROOT.resolve(file)).as(name).exists();
                  mounted.add(file);
                }
              }
            });
    assertThat(mounted).hasSizeGreaterThanOrEqualTo(5);
    assertThat(ROOT.resolve("monitors/observability/prometheus/rules.yml")).exists();
  }

  @Test
  void givesTheMonitorSettingsThatItKnows() throws IOException {
    Map<String, String> environment = new TreeMap<>();
    services()
        .getOrDefault("monitor", YAMLMapper.builder().build().createObjectNode())
        .path("environment")
        .properties()
        .forEach(each -> environment.put(each.getKey(), filled(each.getValue().asText())));

    var settings = SettingsResolver.resolve(Map.of(), Map.of(), environment, null, Map.of());

    assertThat(settings.find(SettingsCatalogue.BOOTSTRAP_SERVERS)).contains("kafka:29092");
    // Prometheus asks under this name.
    assertThat(settings.find(SettingsCatalogue.ALLOWED_HOSTS).orElseThrow()).contains("monitor");
  }

  /** As Docker reads it: the last pattern that matches decides. */
  private static boolean ignored(String path) throws IOException {
    boolean ignored = false;
    for (String line : Files.readAllLines(ROOT.resolve(".dockerignore"))) {
      String pattern = line.strip();
      if (pattern.isEmpty() || pattern.startsWith("#")) {
        continue;
      }
      boolean kept = pattern.startsWith("!");
      String glob = kept ? pattern.substring(1) : pattern;
      List<String> globs =
          glob.startsWith("**/") ? List.of(glob, glob.substring("**/".length())) : List.of(glob);
      for (Path part = Path.of(path); part != null; part = part.getParent()) {
        Path tested = part;
        if (globs.stream()
            .anyMatch(
                one -> tested.getFileSystem().getPathMatcher("glob:" + one).matches(tested))) {
          ignored = !kept;
        }
      }
    }
    return ignored;
  }

  /** What the program serves from its jar must reach the build; it does not start without. */
  @Test
  void buildsTheImageWithTheRunbook_andWithoutWhatIsNoSource() throws IOException {
    assertThat(ignored("monitors/RUNBOOK.md")).isFalse();
    assertThat(ignored("monitors/pom.xml")).isFalse();
    assertThat(ignored("README.md")).isTrue();
    assertThat(ignored("monitors/README.md")).isTrue();
    assertThat(ignored("monitors/target/classes/x.class")).isTrue();
  }

  /** Docker mounts a tmpfs noexec unless told otherwise; then no compressed record can be read. */
  @Test
  void unpacksNativeLibrariesWhereTheyMayBeLoaded() throws IOException {
    Map<String, JsonNode> services = services();
    services.forEach(
        (name, service) -> {
          if (service.path("read_only").asBoolean()) {
            assertThat(texts(service.path("tmpfs"))).as(name).containsExactly("/tmp:exec");
          }
        });
    assertThat(services.values()).anyMatch(service -> service.path("read_only").asBoolean());
  }

  /** Killed while it stops, a monitor leaves its group late and its transactions open. */
  @Test
  void leavesTimeToStop_whenTheBrokerIsAway() throws IOException {
    Map<String, JsonNode> services = services();
    int topology = 20;
    int alerts = 15;
    int publisher = 10;
    int readModel = 10;
    for (String name : List.of("monitor", "demo")) {
      String grace = Objects.requireNonNull(services.get(name)).path("stop_grace_period").asText();
      assertThat(grace).as(name).matches("\\d+s");
      assertThat(Integer.parseInt(grace.replace("s", "")))
          .as(name)
          .isGreaterThan(topology + alerts + publisher + readModel);
    }
  }

  @Test
  void buildsTheImageFromEveryModule_asAUserThatIsNotRoot() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("monitors/Dockerfile"));
    Matcher module =
        Pattern.compile("<module>([a-z]+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    while (module.find()) {
      assertThat(lines).contains("COPY " + module.group(1) + " " + module.group(1));
    }
    for (String line : lines) {
      if (line.startsWith("COPY ") && !line.contains("--from=")) {
        List<String> words = List.of(line.split(" ", -1));
        assertThat(ROOT.resolve(words.get(words.size() - 2))).as(line).exists();
      }
      if (line.startsWith("FROM ")) {
        assertThat(line).matches("FROM [a-z-]+:\\d+\\.\\d+\\.\\d+[a-z0-9_.-]*( AS build)?");
      }
    }
    List<String> users = lines.stream().filter(line -> line.startsWith("USER ")).toList();
    assertThat(users).singleElement().asString().matches("USER [1-9]\\d*:[1-9]\\d*");
    assertThat(lines.indexOf(users.get(0)))
        .isLessThan(indexOf(lines, "ENTRYPOINT [\"java\","))
        .isGreaterThan(indexOf(lines, "COPY --from=build /src/monitors/target/servedrift.jar"));
    assertThat(Files.isExecutable(ROOT.resolve("monitors/observability/healthcheck"))).isTrue();
  }

  private static int indexOf(List<String> lines, String start) {
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith(start)) {
        return i;
      }
    }
    throw new AssertionError("no line starts with " + start);
  }
}
