package io.servedrift.monitors.ops;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.servedrift.monitors.ops.MonitorMetrics.Family;
import io.servedrift.monitors.ops.MonitorMetrics.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What passes a gateway and what becomes of its events. Thread-safe if the suppliers are. */
public final class GatewayMetrics implements MultiCollector {
  private static final Family REQUESTS =
      new Family(
          "servedrift_gateway_events_total",
          Kind.COUNTER,
          List.of("what"),
          "What happened at the gateway, by kind: see its README.");
  private static final Family PUBLISHER =
      new Family(
          "servedrift_gateway_publisher_total",
          Kind.COUNTER,
          List.of("what"),
          "Events by fate: offered, published, or dropped with the reason.");
  private static final Family NOW =
      new Family(
          "servedrift_gateway_now",
          Kind.GAUGE,
          List.of("what"),
          "Measured requests under way, queued videos, events in flight, bytes of bodies kept.");

  private final Supplier<Map<String, Long>> events;
  private final Supplier<Map<String, Long>> publisher;
  private final Supplier<Map<String, Long>> now;

  /**
   * @param events counts since the start, by kind
   * @param publisher counts of the publisher since the start, by fate
   * @param now what is under way
   */
  public GatewayMetrics(
      Supplier<Map<String, Long>> events,
      Supplier<Map<String, Long>> publisher,
      Supplier<Map<String, Long>> now) {
    this.events = events;
    this.publisher = publisher;
    this.now = now;
  }

  /** Serves these, from a registry of their own. */
  public static MetricsEndpoint endpoint(GatewayMetrics metrics) {
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(metrics);
    return new MetricsEndpoint(registry);
  }

  @Override
  public MetricSnapshots collect() {
    return MetricSnapshots.of(
        REQUESTS.snapshot(points(events.get())),
        PUBLISHER.snapshot(points(publisher.get())),
        NOW.snapshot(points(now.get())));
  }

  private static Map<Labels, Double> points(Map<String, Long> values) {
    Map<Labels, Double> points = new LinkedHashMap<>();
    values.forEach((what, value) -> points.put(Labels.of("what", what), (double) value));
    return points;
  }
}
