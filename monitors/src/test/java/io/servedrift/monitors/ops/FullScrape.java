package io.servedrift.monitors.ops;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.servedrift.monitors.alert.AlertSeverity;
import io.servedrift.monitors.alert.ForwarderStatus;
import io.servedrift.monitors.alert.ReplicaStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All metrics of a monitor that has met everything there is a metric for. */
public final class FullScrape {
  /** When it all happened. */
  public static final Instant AT = Instant.parse("2026-11-30T10:00:00Z");

  private static final List<String> METRICS =
      List.of("latency", "queue", "stage:decode", "clip", "error_ratio");

  private FullScrape() {}

  /** With every family filled. */
  public static PrometheusRegistry registry() {
    PrometheusRegistry registry = new PrometheusRegistry();
    new MonitorMetrics(
            "1.2.3",
            FullScrape::pipeline,
            () -> Map.of("t-0", 0.5),
            () -> METRICS.stream().map(FullScrape::sample).toList(),
            () -> List.of(new ConfigLabels("c1", "rt", "1", "bf16", "off", "off", "h100")),
            50)
        .register(registry);
    LatencyMetrics latencies = new LatencyMetrics(50);
    latencies.add(
        new LatencyPane(
            "image-gen",
            "m1",
            "c1",
            AT,
            List.of(new LatencyPane.Counted(1.5, 2), new LatencyPane.Counted(42, 1)),
            45,
            List.of(new LatencyPane.Example("r-1", 42, AT))));
    registry.register(latencies);
    registry.register(
        new ReadModelMetrics(
            () -> List.of(new OpenFindings("image-gen", "page", 1)),
            () -> List.of(new LatestServingEvent("image-gen", "deploy", AT))));
    registry.register(
        new StreamsMetrics(
            List.of("CREATED", "RUNNING"),
            () -> "RUNNING",
            () -> Map.of(new StreamsMetrics.Partition("t", 0), 3L)));
    registry.register(new AlertMetrics(FullScrape::alerts));
    return registry;
  }

  private static ForwarderStatus alerts() {
    return new ForwarderStatus(
        true,
        "",
        Map.of(AlertSeverity.PAGE, 1, AlertSeverity.TICKET, 0),
        3,
        0,
        List.of(new ReplicaStatus("am-1:9093", true, 2, 1, 0, 0, Optional.of(AT), "")));
  }

  /** The scrape in the text format. */
  public static String text() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, registry().scrape());
    return out.toString(StandardCharsets.UTF_8);
  }

  private static Map<String, Long> pipeline() {
    Map<String, Long> counters = new HashMap<>();
    for (String name :
        List.of(
            "dead_letters_bad_json",
            "folded_series",
            "read_model_ignored_undecodable",
            "read_model_evicted_series",
            "something_else",
            MonitorMetrics.findingCounter("clip", "page", "cache", "open"))) {
      counters.put(name, 1L);
    }
    return counters;
  }

  private static SeriesSample sample(String metric) {
    return new SeriesSample(
        "image-gen",
        "m1",
        "c1",
        metric,
        "5m",
        AT,
        500,
        1.25,
        4.5,
        4.0,
        5.0,
        0.31,
        0.30,
        0.32,
        new SeriesJudgement(SeriesJudgement.Verdict.PASS, 0.312, 4.4, 0.29, 4.62));
  }
}
