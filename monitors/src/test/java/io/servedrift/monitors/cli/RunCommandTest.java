package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import io.servedrift.monitors.pane.PaneSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
}
