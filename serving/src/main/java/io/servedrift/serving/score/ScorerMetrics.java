package io.servedrift.serving.score;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prometheus metrics of asynchronous scoring, {@code servedrift_scorer_*}; the counts of one scrape
 * fit together, see {@link AsyncScorerCounts}. Every counter starts at 0. Thread-safe.
 */
public final class ScorerMetrics implements MultiCollector {

  private static final double NANOS_PER_SECOND = 1e9;

  private final AsyncScorer scorer;
  private final ScorerModel model;

  /** Metrics of these two. */
  public ScorerMetrics(AsyncScorer scorer, ScorerModel model) {
    this.scorer = scorer;
    this.model = model;
  }

  @Override
  public MetricSnapshots collect() {
    AsyncScorerCounts counts = scorer.counts();
    return MetricSnapshots.of(
        counter("offered", "Images handed over for scoring.", one(counts.offered())),
        counter("skipped", "Images that the sampling did not select.", one(counts.skipped())),
        counter("scored", "Images scored.", one(counts.scored())),
        counter("dropped", "Images not scored, by reason.", dropped(counts)),
        gauge("waiting", "Images waiting to be scored.", counts.waiting()),
        gauge("waiting_bytes", "Bytes of the images waiting.", counts.waitingBytes()),
        gauge("running", "Images being scored.", counts.running()),
        counter("batches", "Batches scored.", one(counts.batches())),
        counter("busy_seconds", "Time spent scoring.", one(seconds(counts.busy()))),
        counter(
            "delay_seconds",
            "From handing over to scores, summed over the images scored.",
            one(seconds(counts.delay()))),
        counter(
            "events",
            "Score events, by what the publisher said.",
            Map.of(
                Labels.of("outcome", "accepted"), (double) counts.eventsAccepted(),
                Labels.of("outcome", "refused"), (double) counts.eventsRefused())),
        counter(
            "text_embeddings",
            "Prompts, by whether their embedding was at hand.",
            Map.of(
                Labels.of("outcome", "hit"), (double) model.textCacheHits(),
                Labels.of("outcome", "miss"), (double) model.textCacheMisses())));
  }

  private static Map<Labels, Double> dropped(AsyncScorerCounts counts) {
    Map<Labels, Double> points = new LinkedHashMap<>();
    for (ScoreDropReason reason : ScoreDropReason.values()) {
      points.put(Labels.of("reason", reason.code()), (double) counts.dropped(reason));
    }
    return points;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS_PER_SECOND;
  }

  private static Map<Labels, Double> one(Number value) {
    return Map.of(Labels.EMPTY, value.doubleValue());
  }

  private static MetricSnapshot counter(String name, String help, Map<Labels, Double> points) {
    List<CounterDataPointSnapshot> data =
        points.entrySet().stream()
            .map(
                point ->
                    CounterDataPointSnapshot.builder()
                        .labels(point.getKey())
                        .value(point.getValue())
                        .build())
            .toList();
    CounterSnapshot.Builder snapshot =
        CounterSnapshot.builder().name("servedrift_scorer_" + name).help(help);
    data.forEach(snapshot::dataPoint);
    return snapshot.build();
  }

  private static MetricSnapshot gauge(String name, String help, Number value) {
    return GaugeSnapshot.builder()
        .name("servedrift_scorer_" + name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value(value.doubleValue()).build())
        .build();
  }
}
