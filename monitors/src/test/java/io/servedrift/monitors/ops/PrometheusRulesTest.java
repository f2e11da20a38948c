package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Prometheus is given, checked by promtool, without which the test fails. */
class PrometheusRulesTest {
  private static final Path FOLDER = Path.of("observability/prometheus");

  private static JsonNode yaml(String file) throws IOException {
    return new YAMLMapper().readTree(FOLDER.resolve(file).toFile());
  }

  private static List<JsonNode> rules() throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode group : yaml("rules.yml").path("groups")) {
      group.path("rules").forEach(found::add);
    }
    return found;
  }

  private static List<JsonNode> alerts() throws IOException {
    return rules().stream().filter(rule -> rule.has("alert")).toList();
  }

  private static void promtool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(FOLDER.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output.toLowerCase(Locale.ROOT)).doesNotContain("warn").doesNotContain("failed");
  }

  @Test
  void promtoolAcceptsTheRules() throws Exception {
    promtool("check", "rules", "rules.yml");
  }

  @ParameterizedTest
  @ValueSource(strings = {"prometheus.yml", "prometheus-compose.yml"})
  void promtoolAcceptsTheConfiguration(String file) throws Exception {
    promtool("check", "config", file);
  }

  @ParameterizedTest
  @CsvSource({
    "prometheus.yml, 127.0.0.1:9093",
    "prometheus-3.yml, 127.0.0.1:9093",
    "prometheus-compose.yml, alertmanager:9093"
  })
  void alertsOfTheRulesGoToAlertmanager(String file, String address) throws IOException {
    assertThat(yaml(file).at("/alerting/alertmanagers/0/static_configs/0/targets/0").asText())
        .isEqualTo(address);
  }

  @Test
  void everyAlertFiresWhenItShould_andOnlyThen() throws Exception {
    promtool("test", "rules", "rules-test.yml");
    Set<String> fires = new TreeSet<>();
    Set<String> silent = new TreeSet<>();
    for (JsonNode test : yaml("rules-test.yml").path("tests")) {
      for (JsonNode alert : test.path("alert_rule_test")) {
        (alert.has("exp_alerts") ? fires : silent).add(alert.path("alertname").asText());
      }
    }
    List<String> names = alerts().stream().map(rule -> rule.path("alert").asText()).toList();
    assertThat(names).doesNotHaveDuplicates();
    assertThat(fires).containsExactlyInAnyOrderElementsOf(names);
    assertThat(silent).containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void everyAlertNamesItsSectionOfTheRunbook() throws IOException {
    for (JsonNode alert : alerts()) {
      String name = alert.path("alert").asText();
      assertThat(name).startsWith("Servedrift");
      assertThat(alert.at("/annotations/runbook_url").asText())
          .isEqualTo("monitors/RUNBOOK.md#" + name.toLowerCase(Locale.ROOT));
      assertThat(alert.at("/annotations/summary").asText()).isNotEmpty();
      assertThat(alert.at("/annotations/description").asText()).isNotEmpty();
      assertThat(alert.at("/labels/severity").asText()).isIn("page", "ticket");
    }
  }

  @Test
  void everyMetricAndLabelOfARuleIsInTheScrape() throws IOException {
    Map<String, Set<String>> scrape = PromQl.labelsOf(FullScrape.text());
    for (JsonNode rule : rules()) {
      String query = rule.path("expr").asText();
      assertThat(PromQl.missing(query, scrape)).as(query).isEmpty();
    }
  }

  @Test
  void theConfigurationOfPrometheus3_addsNativeHistogramsAndNothingElse() throws IOException {
    JsonNode newer = yaml("prometheus-3.yml");
    ObjectNode job = (ObjectNode) newer.at("/scrape_configs/0");
    assertThat(job.remove("scrape_native_histograms").asBoolean()).isTrue();
    assertThat(job.remove("always_scrape_classic_histograms").asBoolean()).isTrue();
    assertThat(job.remove("scrape_protocols").get(0).asText()).isEqualTo("PrometheusProto");
    assertThat(newer).isEqualTo(yaml("prometheus.yml"));
  }
}
