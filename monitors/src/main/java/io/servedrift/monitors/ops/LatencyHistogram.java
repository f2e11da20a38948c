package io.servedrift.monitors.ops;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.NativeHistogramBuckets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Latencies in the buckets of both kinds of Prometheus histogram: classic ones from 10 ms to half
 * an hour, for servers without native histograms, and native ones of schema 5, whose bounds are the
 * powers of 2^(1/32), so a quantile is off by at most 1.1 % for the bucket and 1 % for the bin that
 * the pane counted it in. Each classic bucket remembers its latest example. Not thread-safe.
 */
final class LatencyHistogram {
  /** Upper bounds, seconds: image generation takes up to minutes. */
  static final double[] BOUNDS = {
    .01,
    .025,
    .05,
    .1,
    .25,
    .5,
    1,
    2,
    3,
    5,
    7.5,
    10,
    15,
    20,
    30,
    45,
    60,
    90,
    120,
    180,
    300,
    600,
    1800,
    Double.POSITIVE_INFINITY
  };

  static final int SCHEMA = 5;

  private static final double BUCKETS_PER_OCTAVE = 1 << SCHEMA;
  private static final double LN_2 = StrictMath.log(2);

  /** Shorter is zero: no clock tells it apart. */
  private static final double ZERO_SECONDS = 1e-9;

  /** OpenMetrics: names and values of an exemplar's labels together. */
  private static final int MOST_EXEMPLAR_CHARACTERS = 128;

  private static final String EXEMPLAR_LABEL = "request_id";

  private final long[] classic = new long[BOUNDS.length];
  private final @Nullable Exemplar[] examples = new @Nullable Exemplar[BOUNDS.length];
  private final Map<Integer, Long> natives = new TreeMap<>();
  private long zeros;
  private double sum;
  private Instant latest = Instant.MIN;

  void add(LatencyPane pane) {
    for (LatencyPane.Counted value : pane.values()) {
      classic[bucket(value.seconds())] += value.count();
      if (value.seconds() <= ZERO_SECONDS) {
        zeros += value.count();
      } else {
        natives.merge(nativeIndex(value.seconds()), value.count(), Long::sum);
      }
    }
    sum += pane.sumSeconds();
    pane.examples().forEach(this::remember);
    latest = pane.end().isAfter(latest) ? pane.end() : latest;
  }

  /** End of the latest pane, {@link Instant#MIN} before the first. */
  Instant latest() {
    return latest;
  }

  private static int bucket(double seconds) {
    int found = Arrays.binarySearch(BOUNDS, seconds);
    return found >= 0 ? found : -found - 1;
  }

  /** The bucket (2^((i-1)/32), 2^(i/32)] that holds the value. */
  static int nativeIndex(double seconds) {
    return (int) Math.ceil(StrictMath.log(seconds) / LN_2 * BUCKETS_PER_OCTAVE);
  }

  /**
   * Never goes back in time within a bucket: a server refuses an older exemplar, with a warning.
   */
  private void remember(LatencyPane.Example example) {
    String id = example.requestId();
    if (EXEMPLAR_LABEL.length() + id.codePointCount(0, id.length()) > MOST_EXEMPLAR_CHARACTERS) {
      return;
    }
    int bucket = bucket(example.seconds());
    Exemplar known = examples[bucket];
    long at = example.at().toEpochMilli();
    if (known == null || at > known.getTimestampMillis()) {
      examples[bucket] =
          Exemplar.builder()
              .labels(Labels.of(EXEMPLAR_LABEL, id))
              .value(example.seconds())
              .timestampMillis(at)
              .build();
    }
  }

  HistogramDataPointSnapshot snapshot(Labels labels) {
    NativeHistogramBuckets.Builder buckets = NativeHistogramBuckets.builder();
    natives.forEach(buckets::bucket);
    return HistogramDataPointSnapshot.builder()
        .labels(labels)
        .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, classic))
        .nativeSchema(SCHEMA)
        .nativeZeroThreshold(ZERO_SECONDS)
        .nativeZeroCount(zeros)
        .nativeBucketsForPositiveValues(buckets.build())
        .sum(sum)
        .exemplars(Exemplars.of(Arrays.stream(examples).filter(Objects::nonNull).toList()))
        .build();
  }
}
