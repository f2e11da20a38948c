package io.servedrift.monitors.ops;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.servedrift.monitors.ops.MonitorMetrics.Family;
import io.servedrift.monitors.ops.MonitorMetrics.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the output topics hold now: open findings, and when the serving layer last changed. Every
 * instance reads all of it, so over instances take the maximum, not the sum. Thread-safe if the
 * suppliers are.
 */
public final class ReadModelMetrics implements MultiCollector {
  private static final Family FINDINGS_OPEN =
      new Family(
          "servedrift_findings_open",
          Kind.GAUGE,
          List.of("deployment", "severity"),
          "Findings that are open now.");
  private static final Family SERVING_EVENT =
      new Family(
          "servedrift_serving_event_timestamp_seconds",
          Kind.GAUGE,
          List.of("deployment", "kind"),
          "When the latest serving event of a kind happened: for annotations on charts.");

  private final Supplier<List<OpenFindings>> findings;
  private final Supplier<List<LatestServingEvent>> servingEvents;

  /** Metrics over these suppliers. */
  public ReadModelMetrics(
      Supplier<List<OpenFindings>> findings, Supplier<List<LatestServingEvent>> servingEvents) {
    this.findings = findings;
    this.servingEvents = servingEvents;
  }

  /** Its families, for the documentation's table. */
  static List<Family> families() {
    return List.of(FINDINGS_OPEN, SERVING_EVENT);
  }

  @Override
  public MetricSnapshots collect() {
    Map<Labels, Double> open = new LinkedHashMap<>();
    for (OpenFindings one : findings.get()) {
      open.put(
          Labels.of("deployment", one.deployment(), "severity", one.severity()),
          (double) one.count());
    }
    Map<Labels, Double> events = new LinkedHashMap<>();
    for (LatestServingEvent one : servingEvents.get()) {
      events.put(
          Labels.of("deployment", one.deployment(), "kind", one.kind()),
          one.at().toEpochMilli() / 1e3);
    }
    return MetricSnapshots.of(FINDINGS_OPEN.snapshot(open), SERVING_EVENT.snapshot(events));
  }
}
