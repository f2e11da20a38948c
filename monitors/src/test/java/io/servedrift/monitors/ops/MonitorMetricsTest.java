package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MonitorMetricsTest {
  private final Map<String, Long> pipeline = new HashMap<>();
  private final Map<String, Double> lag = new HashMap<>();
  private final List<SeriesSample> series = new ArrayList<>();
  private final List<ConfigLabels> configs = new ArrayList<>();

  private String scrape(int limit) throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    new MonitorMetrics("1.2.3", () -> pipeline, () -> lag, () -> series, () -> configs, limit)
        .register(registry);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, registry.scrape());
    return out.toString(StandardCharsets.UTF_8);
  }

  private static SeriesSample sample(String config, String metric, long n, Double p99) {
    Double lower = p99 == null ? null : p99 - 0.5;
    Double upper = p99 == null ? null : p99 + 0.5;
    return new SeriesSample(
        "image-gen",
        "m1",
        config,
        metric,
        "5m",
        Instant.ofEpochSecond(1_796_000_000),
        n,
        1.25,
        p99,
        lower,
        upper,
        0.31,
        0.30,
        0.32,
        null);
  }

  @Test
  void exportsPipelineCounters_whenTheyHaveLabels() throws IOException {
    pipeline.put("requests_read", 10L);
    pipeline.put("scores_read", 4L);
    pipeline.put("dead_letters_bad_json", 2L);
    pipeline.put("late_requests", 3L);
    pipeline.put("duplicates", 5L);
    pipeline.put("requests_waiting", 7L);
    pipeline.put("folded_prompt_class", 8L);
    pipeline.put("brand_new", 9L);
    pipeline.put(MonitorMetrics.findingCounter("clip", "page", "cache", "open"), 2L);
    lag.put("servedrift-requests-v1-11", 1.5);
    assertThat(scrape(50).lines())
        .contains(
            "servedrift_records_read_total{type=\"request\"} 10.0",
            "servedrift_records_read_total{type=\"score\"} 4.0",
            "servedrift_records_read_total{type=\"heartbeat\"} 0.0",
            "servedrift_dead_letters_total{reason=\"bad_json\"} 2.0",
            "servedrift_requests_total{outcome=\"late\"} 3.0",
            "servedrift_requests_total{outcome=\"duplicate\"} 5.0",
            "servedrift_conflicting_requests_total 0.0",
            "servedrift_waiting_records{type=\"request\"} 7.0",
            "servedrift_folded_values_total{budget=\"prompt_class\"} 8.0",
            "servedrift_other_events_total{counter=\"brand_new\"} 9.0",
            "servedrift_findings_total{cause=\"cache\",metric=\"clip\",severity=\"page\",state=\"open\"}"
                + " 2.0",
            "servedrift_partition_clock_lag_seconds{partition=\"11\",topic=\"servedrift-requests-v1\"}"
                + " 1.5")
        .anyMatch(l -> l.startsWith("servedrift_build_info{") && l.contains("version=\"1.2.3\""));
  }

  @Test
  void leavesNumberOut_whenItIsNotKnown() throws IOException {
    series.add(sample("c1", "latency", 120, null));
    series.add(sample("c2", "latency", 2000, 4.5));
    String text = scrape(50);
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_latency_p99_seconds{")))
        .singleElement()
        .asString()
        .contains("config_id=\"c2\"")
        .endsWith(" 4.5");
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_window_samples{"))).hasSize(2);
  }

  @Test
  void keepsUnitsApart_whenMetricsDiffer() throws IOException {
    series.add(sample("c1", "latency", 500, 4.5));
    series.add(sample("c1", "stage:decode", 500, 0.5));
    series.add(sample("c1", "clip", 500, 0.4));
    series.add(sample("c1", "error_ratio", 500, null));
    String text = scrape(50);
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_latency_p99_seconds{")))
        .hasSize(2);
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_score_mean{")))
        .singleElement()
        .asString()
        .contains("metric=\"clip\"");
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_error_ratio{"))).hasSize(1);
  }

  @Test
  void foldsIntoOther_whenConfigsExceedTheLimit() throws IOException {
    for (int i = 0; i < 5; i++) {
      series.add(sample("c" + i, "latency", 100 + i, 1.0));
      configs.add(new ConfigLabels("c" + i, "rt", "1", "bf16", "off", "off", "h100"));
    }
    String text = scrape(2);
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_latency_p99_seconds{")))
        .hasSize(2)
        .anyMatch(l -> l.contains("\"c4\""))
        .anyMatch(l -> l.contains("\"c3\""));
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_window_samples{")))
        .hasSize(3)
        .anyMatch(l -> l.contains("config_id=\"other\"") && l.endsWith(" 303.0"));
    assertThat(text.lines().filter(l -> l.startsWith("servedrift_config_info{"))).hasSize(2);
    assertThat(text).contains("servedrift_configs_over_limit 3.0");
  }

  @Test
  void escapesLabels_whenNamesAreHostile() throws IOException {
    series.add(sample("c\"}\n evil 1", "latency", 500, 4.5));
    assertThat(scrape(50)).contains("config_id=\"c\\\"}\\n evil 1\"").doesNotContain("\n evil 1");
  }

  @Test
  void exportsEveryDocumentedFamily_whenThereIsData() throws IOException {
    String text = FullScrape.text();
    for (MonitorMetrics.Family family : MonitorMetrics.families()) {
      String type =
          switch (family.kind()) {
            case COUNTER -> "counter";
            case GAUGE, INFO -> "gauge";
            case HISTOGRAM -> "histogram";
          };
      String series = family.name() + (type.equals("histogram") ? "_count" : "");
      assertThat(text).contains("# TYPE " + family.name() + " " + type + "\n");
      assertThat(text.lines().filter(l -> l.startsWith(series + " ") || l.startsWith(series + "{")))
          .as(family.name())
          .isNotEmpty()
          .allSatisfy(
              line -> family.labels().forEach(label -> assertThat(line).contains(label + "=\"")));
    }
  }

  @Test
  void documentsEveryFamily_thatIsExported() throws IOException {
    List<String> documented =
        Stream.of(MonitorMetrics.families(), AlertMetrics.families())
            .flatMap(List::stream)
            .map(MonitorMetrics.Family::name)
            .toList();
    assertThat(
            FullScrape.text()
                .lines()
                .filter(l -> l.startsWith("# TYPE servedrift_"))
                .map(l -> l.split(" ", -1)[2]))
        .containsExactlyInAnyOrderElementsOf(documented);
  }

  @Test
  void showsBaselineThresholdAndVerdict_whenTheSeriesIsJudgedHere() throws IOException {
    SeriesJudgement judgement =
        new SeriesJudgement(SeriesJudgement.Verdict.DRIFT, null, 4.4, null, 4.62);
    series.add(sample("c1", "latency", 500, 4.5).judged(judgement));
    series.add(sample("c2", "latency", 400, 4.5));
    String text = scrape(50);
    assertThat(lines(text, "servedrift_latency_p99_threshold_seconds{"))
        .singleElement()
        .asString()
        .contains("config_id=\"c1\"")
        .endsWith(" 4.62");
    assertThat(lines(text, "servedrift_latency_p99_baseline_seconds{")).hasSize(1);
    assertThat(lines(text, "servedrift_score_mean_threshold{")).isEmpty();
    assertThat(lines(text, "servedrift_verdict{"))
        .hasSize(3)
        .allMatch(l -> l.contains("config_id=\"c1\""))
        .filteredOn(l -> l.endsWith(" 1.0"))
        .singleElement()
        .asString()
        .contains("verdict=\"drift\"");
  }

  @Test
  void capsVerdictsAndThresholds_likeTheOtherSeries() throws IOException {
    for (int i = 0; i < 5; i++) {
      series.add(
          sample("c" + i, "latency", 100 + i, 1.0)
              .judged(new SeriesJudgement(SeriesJudgement.Verdict.PASS, null, 1.0, null, 1.05)));
    }
    String text = scrape(2);
    assertThat(lines(text, "servedrift_verdict{")).hasSize(6);
    assertThat(lines(text, "servedrift_latency_p99_threshold_seconds{")).hasSize(2);
    assertThat(lines(text, "servedrift_window_end_timestamp_seconds{")).hasSize(3);
  }

  private static List<String> lines(String text, String prefix) {
    return text.lines().filter(l -> l.startsWith(prefix)).toList();
  }

  @Test
  void passesPromtool_whenAllFamiliesHaveData() throws Exception {
    Process promtool =
        new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
    try (var in = promtool.getOutputStream()) {
      in.write(FullScrape.text().getBytes(StandardCharsets.UTF_8));
    }
    String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(promtool.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(output.lines().filter(l -> l.contains("servedrift"))).isEmpty();
    assertThat(promtool.exitValue()).as(output).isIn(0, 3);
    assertThat(output.lines().filter(l -> !l.startsWith("jvm_") && !l.startsWith("process_")))
        .isEmpty();
  }

  @Test
  void refuses_whenLimitIsZero() {
    assertThatThrownBy(() -> scrape(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("metric config limit=0: must be at least 1");
  }
}
