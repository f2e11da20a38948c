package io.servedrift.monitors.cli;

import static io.servedrift.monitors.cli.RunningMonitor.PATIENCE;
import static io.servedrift.monitors.cli.RunningMonitor.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.ops.Dashboards;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes a really running monitor with the shipped configuration, takes
 * everything without a warning, and answers the queries of the dashboards. Fails where there is no
 * {@code prometheus}.
 */
@Tag("alone")
class PrometheusScrapeIT {
  /**
   * Too few requests for a p99, no baseline within seconds, nothing goes wrong, and no Alertmanager
   * here.
   */
  private static final Pattern NEEDS_MORE =
      Pattern.compile(
          "baseline|threshold|score_mean|dead_letters|findings_total|read_model|folded|config_info"
              + "|alerts_open|alert_sends");

  @TempDir private static Path folder;
  private static RunningMonitor monitor;
  private static int batch;

  @BeforeAll
  static void start() throws Exception {
    monitor = RunningMonitor.start(folder);
    monitor.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    monitor.process().destroy();
    assertThat(monitor.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  /** 400 requests, which is enough for an interval of the p99, and a serving event. */
  private static void traffic() throws Exception {
    batch++;
    Instant now = Instant.now();
    StringBuilder events = new StringBuilder();
    for (int i = 0; i < 400; i++) {
      events.append(request("r-" + batch + "-" + i, now, .5 + i / 100.));
    }
    events.append(
        """
        {"type":"serving_event","event_id":"e-%s","at":"%s","deployment":"d","kind":"deploy"}
        """
            .formatted(batch, now));
    assertThat(monitor.post(events.toString())).isEqualTo(202);
  }

  private static void awaitValue(PrometheusServer prometheus, String query) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              traffic();
              return prometheus.query(query).size() > 0;
            });
  }

  @Test
  void isScrapedWithoutAWarning_andAnswersEveryPanel() throws Exception {
    try (PrometheusServer prometheus =
        PrometheusServer.start(folder, monitor.authority(), "exemplar-storage")) {
      awaitValue(prometheus, "servedrift_latency_p99_upper_seconds{config_id=\"*\"}");
      awaitValue(prometheus, "rate(servedrift_latency_seconds_count[10s]) > 0");
      awaitValue(prometheus, "servedrift_verdict{verdict=\"insufficient\"} == 1");
      awaitValue(prometheus, "servedrift_serving_event_timestamp_seconds{kind=\"deploy\"}");

      JsonNode target = prometheus.get("/api/v1/targets").at("/data/activeTargets/0");
      assertThat(target.path("health").asText()).isEqualTo("up");
      assertThat(target.path("lastError").asText()).isEmpty();
      answersEveryPanel(prometheus);
      assertThat(prometheus.exemplars("servedrift_latency_seconds_bucket").toString())
          .containsPattern("\"request_id\":\"r-\\d+-\\d+\"");
      rulesAreHealthy(prometheus);
      assertThat(prometheus.warnings()).isEmpty();
    }
  }

  private static void answersEveryPanel(PrometheusServer prometheus) throws Exception {
    for (JsonNode dashboard : Dashboards.all()) {
      for (String query : Dashboards.queries(dashboard)) {
        String asked =
            query
                .replace("$__rate_interval", "10s")
                .replace("$deployment", "d")
                .replace("$config_id", query.contains("_bucket") ? "unknown" : "*")
                .replace("$metric", "latency");
        JsonNode answer = prometheus.query(asked);
        if (!NEEDS_MORE.matcher(query).find()) {
          assertThat(answer).as(asked).isNotEmpty();
        }
      }
    }
  }

  private static void rulesAreHealthy(PrometheusServer prometheus) throws Exception {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                prometheus.get("/api/v1/rules").findValuesAsText("health").stream()
                    .allMatch("ok"::equals));
    JsonNode rules = prometheus.get("/api/v1/rules");
    assertThat(rules.findValuesAsText("health")).hasSizeGreaterThan(15);
    assertThat(prometheus.query("instance:servedrift_requests_unaccounted:count")).hasSize(1);
    assertThat(rules.findValuesAsText("state")).containsOnly("inactive");
  }

  @Test
  void givesNativeHistograms_whenTheServerAsksForThem() throws Exception {
    try (PrometheusServer prometheus =
        PrometheusServer.start(folder, monitor.authority(), "native-histograms")) {
      String latency = "servedrift_latency_seconds{config_id=\"unknown\"}";
      awaitValue(prometheus, "histogram_count(" + latency + ") > 0");
      assertThat(number(prometheus, "histogram_quantile(.5, " + latency + ")"))
          .as(".5 to 4.49 s evenly, whichever partitions have closed")
          .isBetween(2.3, 2.7);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                String text = monitor.get("/metrics");
                assertThat(number(prometheus, "histogram_count(" + latency + ")"))
                    .isEqualTo(exported(text, "servedrift_latency_seconds_count{"));
                assertThat(number(prometheus, "histogram_sum(" + latency + ")"))
                    .isEqualTo(exported(text, "servedrift_latency_seconds_sum{"));
              });
      assertThat(prometheus.query("servedrift_window_samples{metric=\"latency\"}")).isNotEmpty();
      assertThat(prometheus.query("servedrift_records_read_total")).isNotEmpty();
      assertThat(prometheus.query("jvm_gc_collection_seconds_count")).isNotEmpty();
      assertThat(prometheus.warnings()).isEmpty();
    }
  }

  private static double number(PrometheusServer prometheus, String query) throws Exception {
    return prometheus.query(query).at("/0/value/1").asDouble(Double.NaN);
  }

  private static double exported(String scrape, String series) {
    String line = scrape.lines().filter(l -> l.startsWith(series)).findFirst().orElseThrow();
    return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }

  @Test
  void passesPromtool() throws Exception {
    traffic();
    await().atMost(PATIENCE).until(() -> monitor.latencies() > 0);
    Process promtool =
        new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
    try (var in = promtool.getOutputStream()) {
      in.write(monitor.get("/metrics").getBytes(StandardCharsets.UTF_8));
    }
    String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(promtool.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(output.lines().filter(line -> line.contains("servedrift"))).isEmpty();
    assertThat(List.of(0, 3)).as(output).contains(promtool.exitValue());
  }
}
