package io.servedrift.serving.node.http;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.serving.cache.CacheStatistics;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.node.NodeState;
import io.servedrift.serving.node.ResolvedConfiguration;
import io.servedrift.serving.scheduler.SchedulerStatistics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code GET /metrics}: the node in the Prometheus text format, or OpenMetrics when {@code Accept}
 * asks for it. Read once per scrape, so that
 *
 * <pre>
 * images_submitted = sum of images{outcome} + running + preempted + waiting
 * events_offered = events_published + sum of events_dropped{reason} + events_in_flight
 * </pre>
 *
 * hold in each. Alert on {@code servedrift_serving_events_dropped_total}: the monitor sees less
 * than was served. Thread-safe.
 */
final class NodeMetrics implements Handler, MultiCollector {

  private static final String PREFIX = "servedrift_serving_";

  private final NodeState state;
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ExpositionFormats formats = ExpositionFormats.init();

  NodeMetrics(NodeState state, List<MultiCollector> more) {
    this.state = state;
    registry.register(this);
    more.forEach(registry::register);
  }

  @Override
  public void handle(Context ctx) throws IOException {
    String accept = ctx.header("Accept");
    ExpositionFormatWriter openMetrics = formats.getOpenMetricsTextFormatWriter();
    ExpositionFormatWriter writer =
        accept != null && openMetrics.accepts(accept)
            ? openMetrics
            : formats.getPrometheusTextFormatWriter();
    ByteArrayOutputStream out = new ByteArrayOutputStream(8 * 1024);
    writer.write(out, registry.scrape());
    ctx.contentType(writer.getContentType())
        .header("Cache-Control", "no-store")
        .result(out.toByteArray());
  }

  @Override
  public MetricSnapshots collect() {
    List<MetricSnapshot> all = new ArrayList<>();
    scheduler(all, state.scheduler().statistics());
    cache(all, state.engine().cache());
    events(all, state.publisher().get());
    all.add(faults());
    all.add(configInfo());
    return new MetricSnapshots(all);
  }

  private static void scheduler(List<MetricSnapshot> all, SchedulerStatistics now) {
    Map<String, Long> outcomes = new LinkedHashMap<>();
    outcomes.put("ok", now.done());
    outcomes.put("error", now.failed());
    outcomes.put("cancelled", now.cancelled());
    outcomes.put("timeout", now.timedOut());
    outcomes.put("refused", now.refused());
    all.add(counter("images_submitted", "Images asked of the scheduler.", now.submitted()));
    all.add(counter("images", "Images that ended.", "outcome", outcomes));
    all.add(gauge("running", "Images that take part in steps.", now.running()));
    all.add(gauge("preempted", "Images taken off the engine for now.", now.preempted()));
    all.add(gauge("waiting", "Images that have not begun.", now.waiting()));
    all.add(counter("steps", "Denoising steps of the engine.", now.steps()));
    all.add(counter("sample_steps", "Sum of the batch sizes of the steps.", now.sampleSteps()));
    all.add(counter("preemptions", "Preemptions.", now.preemptions()));
  }

  private static void cache(List<MetricSnapshot> all, CacheStatistics now) {
    Map<String, Long> lookups = new LinkedHashMap<>();
    lookups.put("hit", now.hits());
    lookups.put("miss", now.misses());
    lookups.put("bypass", now.bypasses());
    all.add(counter("cache_lookups", "Conditioning asked of the cache.", "outcome", lookups));
    all.add(counter("cache_evictions", "Entries dropped to make room.", now.evictions()));
    all.add(gauge("cache_entries", "Entries of the conditioning cache.", now.entries()));
    all.add(gauge("cache_bytes", "Size of the conditioning cache, bytes.", now.bytes()));
  }

  private static void events(List<MetricSnapshot> all, PublisherMetrics now) {
    Map<String, Long> dropped = new LinkedHashMap<>();
    for (DropReason reason : DropReason.values()) {
      dropped.put(reason.code(), now.dropped(reason));
    }
    all.add(counter("events_offered", "Events made by this node.", now.offered()));
    all.add(counter("events_published", "Events the broker acknowledged.", now.published()));
    all.add(counter("events_dropped", "Events lost.", "reason", dropped));
    all.add(gauge("events_in_flight", "Events on their way to the broker.", now.inFlight()));
  }

  private MetricSnapshot faults() {
    GaugeSnapshot.Builder gauge =
        GaugeSnapshot.builder().name(PREFIX + "fault").help("1 while a fault on purpose is on.");
    for (Fault fault : Fault.values()) {
      gauge.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("fault", fault.word()))
              .value(state.faults().on(fault) ? 1 : 0)
              .build());
    }
    return gauge.build();
  }

  private MetricSnapshot configInfo() {
    ResolvedConfiguration now = state.journal().configuration();
    return InfoSnapshot.builder()
        .name(PREFIX + "config")
        .help("Fingerprints of configuration and model in force.")
        .dataPoint(
            InfoDataPointSnapshot.builder()
                .labels(Labels.of("config_id", now.configId(), "model_id", now.modelId()))
                .build())
        .build();
  }

  private static CounterSnapshot counter(String name, String help, long value) {
    return CounterSnapshot.builder()
        .name(PREFIX + name)
        .help(help)
        .dataPoint(CounterDataPointSnapshot.builder().value((double) value).build())
        .build();
  }

  private static CounterSnapshot counter(
      String name, String help, String label, Map<String, Long> values) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder().name(PREFIX + name).help(help);
    values.forEach(
        (word, value) ->
            counter.dataPoint(
                CounterDataPointSnapshot.builder()
                    .labels(Labels.of(label, word))
                    .value(value)
                    .build()));
    return counter.build();
  }

  private static GaugeSnapshot gauge(String name, String help, long value) {
    return GaugeSnapshot.builder()
        .name(PREFIX + name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
