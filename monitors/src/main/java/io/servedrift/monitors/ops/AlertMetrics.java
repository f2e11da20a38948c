package io.servedrift.monitors.ops;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.servedrift.monitors.alert.ForwarderStatus;
import io.servedrift.monitors.alert.ReplicaStatus;
import io.servedrift.monitors.ops.MonitorMetrics.Family;
import io.servedrift.monitors.ops.MonitorMetrics.Kind;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Metrics of the alert forwarder, read once per scrape. They exist where alerts are sent. Alerts
 * that fire are counted by the instance that answers for their deployment, so the sum over the
 * instances is right. Thread-safe if the supplier is.
 */
public final class AlertMetrics implements MultiCollector {
  private static final Family OPEN =
      new Family(
          "servedrift_alerts_open",
          Kind.GAUGE,
          List.of("severity"),
          "Alerts that fire, of the deployments this instance answers for.");
  private static final Family SENDS =
      new Family(
          "servedrift_alert_sends_total",
          Kind.COUNTER,
          List.of("replica", "outcome"),
          "Alerts sent to a replica of Alertmanager: sent, failed (tried again), rejected (refused"
              + " for what they say).");
  private static final Family LAST_SUCCESS =
      new Family(
          "servedrift_alert_last_success_timestamp_seconds",
          Kind.GAUGE,
          List.of("replica"),
          "When a replica of Alertmanager last took alerts, seconds since 1970.");
  private static final Family WAITING =
      new Family(
          "servedrift_alerts_waiting",
          Kind.GAUGE,
          List.of("replica"),
          "Alerts that wait to be sent to a replica.");
  private static final Family FINDINGS =
      new Family(
          "servedrift_alert_findings_total",
          Kind.COUNTER,
          List.of("outcome"),
          "Records of the findings topic that the forwarder has read: used, unreadable.");

  private final Supplier<ForwarderStatus> status;

  /** Metrics of this forwarder. */
  public AlertMetrics(Supplier<ForwarderStatus> status) {
    this.status = status;
  }

  /** Every metric, in the order of the documentation's table. */
  public static List<Family> families() {
    return List.of(OPEN, SENDS, LAST_SUCCESS, WAITING, FINDINGS);
  }

  @Override
  public MetricSnapshots collect() {
    ForwarderStatus now = status.get();
    GaugeSnapshot.Builder open = gauge(OPEN);
    new TreeMap<>(now.firing())
        .forEach((severity, n) -> open.dataPoint(point(Labels.of("severity", severity.word()), n)));
    CounterSnapshot.Builder sends = counter(SENDS);
    GaugeSnapshot.Builder success = gauge(LAST_SUCCESS);
    GaugeSnapshot.Builder waiting = gauge(WAITING);
    for (ReplicaStatus one : now.replicas()) {
      Labels replica = Labels.of("replica", one.replica());
      sends.dataPoint(count(Labels.of("replica", one.replica(), "outcome", "sent"), one.sent()));
      sends.dataPoint(
          count(Labels.of("replica", one.replica(), "outcome", "failed"), one.failed()));
      sends.dataPoint(
          count(Labels.of("replica", one.replica(), "outcome", "rejected"), one.rejected()));
      one.lastSuccess()
          .ifPresent(at -> success.dataPoint(point(replica, at.toEpochMilli() / 1000.0)));
      waiting.dataPoint(point(replica, one.waiting()));
    }
    CounterSnapshot.Builder findings = counter(FINDINGS);
    findings.dataPoint(count(Labels.of("outcome", "used"), now.findings() - now.unreadable()));
    findings.dataPoint(count(Labels.of("outcome", "unreadable"), now.unreadable()));
    return MetricSnapshots.of(
        open.build(), sends.build(), success.build(), waiting.build(), findings.build());
  }

  private static GaugeSnapshot.Builder gauge(Family family) {
    return GaugeSnapshot.builder().name(family.name()).help(family.help());
  }

  private static CounterSnapshot.Builder counter(Family family) {
    String name = family.name().substring(0, family.name().length() - "_total".length());
    return CounterSnapshot.builder().name(name).help(family.help());
  }

  private static GaugeDataPointSnapshot point(Labels labels, double value) {
    return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
  }

  private static CounterDataPointSnapshot count(Labels labels, long value) {
    return CounterDataPointSnapshot.builder().labels(labels).value((double) value).build();
  }
}
