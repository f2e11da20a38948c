package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest {

  private final CommandLineHarness harness = new CommandLineHarness();

  @Test
  void printsEverySettingWithItsSource() {
    harness
        .environment("SERVEDRIFT_GRACE", "5s")
        .environment("SERVEDRIFT_KAFKA_SSL_KEY_PASSWORD", "x");

    assertThat(harness.run("run", "--print-config", "--pane", "30s")).isZero();

    assertThat(harness.out().lines())
        .hasSize(SettingsCatalogue.all().size() + 2)
        .anyMatch(line -> line.matches("pane +30s +\\(command line\\)"))
        .anyMatch(line -> line.matches("grace +5s +\\(environment\\)"))
        .anyMatch(line -> line.matches("bootstrap-servers +- +\\(default\\)"))
        .anyMatch(line -> line.matches("kafka.ssl.key.password +\\*{8} +\\(environment\\)"));
  }

  @Test
  void printsSettingsAsOneDocument() throws IOException {
    assertThat(harness.run("run", "--print-config", "--json")).isZero();

    JsonNode first = new ObjectMapper().readTree(harness.out()).at("/settings/0");
    assertThat(first.path("key").asText()).isEqualTo("bootstrap-servers");
    assertThat(first.path("value").isNull()).isTrue();
    assertThat(first.path("source").asText()).isEqualTo("default");
  }

  @Test
  void saysUsage_whenNoBrokerIsNamed() {
    assertThat(harness.run("run")).isEqualTo(2);
    assertThat(harness.err()).contains("needs --bootstrap-servers HOST:PORT or --embedded DIR");
  }

  @Test
  void saysSoAtOnce_whenThePortIsTaken() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(other.getLocalPort());

      int code = harness.run("run", "--bootstrap-servers", "127.0.0.1:1", "--http-port", port);

      assertThat(code).isEqualTo(2);
      assertThat(harness.err()).contains("http-port=" + port + ": cannot listen there");
    }
  }

  @Test
  void defaultsOfTheCatalogueAreThoseOfTheCore() {
    assertThat(
            PaneOptions.of(SettingsResolver.resolve(Map.of(), Map.of(), Map.of(), null, Map.of())))
        .isEqualTo(PaneSettings.defaults());
  }

  @Test
  void saysUsage_whenALayoutIsWrong() {
    int code = harness.run("replay", "--file", "/dev/null", "--metric-layouts", "clip=lin:1:0:5");

    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("metric-layouts: ");
  }

  @Test
  void printsTheHashOfThePolicyInForce(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("p.yaml"), "false_alarms_per_month: 2\n");
    String hash = Policy.parse("false_alarms_per_month: 2", "").hash();

    assertThat(harness.run("run", "--print-config", "--policy", file.toString())).isZero();

    assertThat(harness.out().lines())
        .anyMatch(line -> line.matches("policy +" + file + " +\\(command line\\)"))
        .anyMatch(line -> line.matches("policy hash +" + hash + " +\\(command line\\)"));
  }

  @Test
  void saysEverythingThatIsWrongInThePolicy(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("p.yaml"), "warmup: 1m\nwarm_up: long\n");

    for (String command : List.of("run", "replay")) {
      CommandLineHarness each = new CommandLineHarness();
      int code = each.environment("SERVEDRIFT_POLICY", file.toString()).run(command);

      assertThat(code).isEqualTo(2);
      assertThat(each.err().lines())
          .containsExactly(
              "servedrift: " + file + ":1: warmup: unknown field; did you mean warm_up?",
              "servedrift: "
                  + file
                  + ":2: warm_up=long: must be a duration (30s, 5m, 7d) from 0s to 1d");
    }
  }

  @Test
  void saysUsage_whenThePolicyCannotBeRead(@TempDir Path folder) throws IOException {
    Path large = Files.write(folder.resolve("large.yaml"), new byte[(1 << 20) + 1]);
    Path binary = Files.write(folder.resolve("binary.yaml"), new byte[] {(byte) 0xff, 1});
    Path none = folder.resolve("none.yaml");

    for (Path file : List.of(large, binary, none)) {
      assertThat(harness.run("run", "--policy", file.toString())).isEqualTo(2);
    }
    assertThat(harness.err().lines())
        .containsExactly(
            "servedrift: " + large + ": must be at most 1 MiB (policy)",
            "servedrift: " + binary + ": must be UTF-8 (policy)",
            "servedrift: " + none + ": no such file (policy)");
  }
}
