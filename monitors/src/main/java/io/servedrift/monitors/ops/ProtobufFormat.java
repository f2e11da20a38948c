package io.servedrift.monitors.ops;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusProtobufWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.NativeHistogramBucket;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Prometheus protobuf format, the only one that carries native histograms: length-delimited
 * {@code io.prometheus.client.MetricFamily} messages. The client library's own writer needs its own
 * copy of protobuf, 2 MB, for a hundred lines; this one knows the kinds of metrics that the process
 * has and refuses others. Thread-safe.
 */
final class ProtobufFormat implements ExpositionFormatWriter {
  private enum Type {
    COUNTER(0, 3),
    GAUGE(1, 2),
    SUMMARY(2, 4),
    HISTOGRAM(4, 7);

    /** In {@code MetricType}. */
    private final int code;

    /** The field of {@code Metric} that holds it. */
    private final int field;

    Type(int code, int field) {
      this.code = code;
      this.field = field;
    }
  }

  private record Point(Labels labels, ProtobufMessage value) {}

  private final PrometheusProtobufWriter names = new PrometheusProtobufWriter();

  @Override
  public boolean accepts(@Nullable String accept) {
    return accept != null && names.accepts(accept);
  }

  @Override
  public String getContentType() {
    return names.getContentType();
  }

  @Override
  public void write(OutputStream out, MetricSnapshots snapshots, EscapingScheme escaping)
      throws IOException {
    for (MetricSnapshot snapshot : snapshots) {
      if (!snapshot.getDataPoints().isEmpty()) {
        family(snapshot).writeDelimitedTo(out);
      }
    }
  }

  private static ProtobufMessage family(MetricSnapshot snapshot) {
    String name = snapshot.getMetadata().getPrometheusName();
    if (snapshot instanceof CounterSnapshot counters) {
      return family(snapshot, name + "_total", Type.COUNTER, points(counters));
    }
    if (snapshot instanceof GaugeSnapshot gauges) {
      return family(snapshot, name, Type.GAUGE, points(gauges));
    }
    if (snapshot instanceof InfoSnapshot facts) {
      return family(snapshot, name + "_info", Type.GAUGE, points(facts));
    }
    if (snapshot instanceof SummarySnapshot summaries) {
      return family(snapshot, name, Type.SUMMARY, points(summaries));
    }
    if (snapshot instanceof HistogramSnapshot histograms && !histograms.isGaugeHistogram()) {
      return family(snapshot, name, Type.HISTOGRAM, points(histograms));
    }
    throw new IllegalArgumentException(
        "metric " + name + ": " + snapshot.getClass().getSimpleName() + " has no protobuf form");
  }

  private static ProtobufMessage family(
      MetricSnapshot snapshot, String name, Type type, List<Point> points) {
    ProtobufMessage family = new ProtobufMessage().text(1, name);
    String help = snapshot.getMetadata().getHelp();
    if (help != null) {
      family.text(2, help);
    }
    family.whole(3, type.code);
    for (Point point : points) {
      ProtobufMessage metric = new ProtobufMessage();
      pairs(metric, point.labels());
      family.message(4, metric.message(type.field, point.value()));
    }
    return family;
  }

  private static void pairs(ProtobufMessage into, Labels labels) {
    for (Label label : labels) {
      into.message(1, new ProtobufMessage().text(1, label.getName()).text(2, label.getValue()));
    }
  }

  private static List<Point> points(CounterSnapshot counters) {
    return counters.getDataPoints().stream()
        .map(p -> new Point(p.getLabels(), new ProtobufMessage().number(1, p.getValue())))
        .toList();
  }

  private static List<Point> points(GaugeSnapshot gauges) {
    return gauges.getDataPoints().stream()
        .map(p -> new Point(p.getLabels(), new ProtobufMessage().number(1, p.getValue())))
        .toList();
  }

  private static List<Point> points(InfoSnapshot facts) {
    return facts.getDataPoints().stream()
        .map(DataPointSnapshot::getLabels)
        .map(labels -> new Point(labels, new ProtobufMessage().number(1, 1)))
        .toList();
  }

  private static List<Point> points(SummarySnapshot summaries) {
    List<Point> all = new ArrayList<>();
    for (SummaryDataPointSnapshot point : summaries.getDataPoints()) {
      ProtobufMessage summary =
          new ProtobufMessage().whole(1, point.getCount()).number(2, point.getSum());
      for (Quantile quantile : point.getQuantiles()) {
        summary.message(
            3,
            new ProtobufMessage().number(1, quantile.getQuantile()).number(2, quantile.getValue()));
      }
      all.add(new Point(point.getLabels(), summary));
    }
    return all;
  }

  private static List<Point> points(HistogramSnapshot histograms) {
    return histograms.getDataPoints().stream()
        .map(point -> new Point(point.getLabels(), histogram(point)))
        .toList();
  }

  private static ProtobufMessage histogram(HistogramDataPointSnapshot point) {
    ProtobufMessage histogram =
        new ProtobufMessage().whole(1, point.getCount()).number(2, point.getSum());
    classic(histogram, point);
    if (point.hasNativeHistogramData()) {
      histogram
          .signed(5, point.getNativeSchema())
          .number(6, point.getNativeZeroThreshold())
          .whole(7, point.getNativeZeroCount());
      natives(histogram, point);
    }
    return histogram;
  }

  private static void classic(ProtobufMessage histogram, HistogramDataPointSnapshot point) {
    ClassicHistogramBuckets buckets = point.getClassicBuckets();
    Exemplars exemplars = point.getExemplars();
    long cumulative = 0;
    double lower = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < buckets.size(); i++) {
      cumulative += buckets.getCount(i);
      double upper = buckets.getUpperBound(i);
      ProtobufMessage bucket = new ProtobufMessage().whole(1, cumulative).number(2, upper);
      Exemplar exemplar = exemplars.get(lower, upper);
      if (exemplar != null) {
        bucket.message(3, exemplar(exemplar));
      }
      histogram.message(3, bucket);
      lower = upper;
    }
  }

  private static ProtobufMessage exemplar(Exemplar exemplar) {
    ProtobufMessage message = new ProtobufMessage();
    pairs(message, exemplar.getLabels());
    message.number(2, exemplar.getValue());
    if (exemplar.hasTimestamp()) {
      long millis = exemplar.getTimestampMillis();
      message.message(
          3,
          new ProtobufMessage()
              .whole(1, Math.floorDiv(millis, 1000))
              .whole(2, Math.floorMod(millis, 1000) * 1_000_000L));
    }
    return message;
  }

  /** Runs of adjacent buckets, and each count as the difference from the one before. */
  private static void natives(ProtobufMessage histogram, HistogramDataPointSnapshot point) {
    int next = 0;
    int start = 0;
    int length = 0;
    boolean any = false;
    for (NativeHistogramBucket bucket : point.getNativeBucketsForPositiveValues()) {
      int index = bucket.getBucketIndex();
      if (any && index == next) {
        length++;
      } else {
        if (any) {
          span(histogram, start, length);
        }
        start = index - next;
        length = 1;
        any = true;
      }
      next = index + 1;
    }
    // Without any bucket, an empty span still says that the histogram is a native one.
    span(histogram, start, length);
    long before = 0;
    for (NativeHistogramBucket bucket : point.getNativeBucketsForPositiveValues()) {
      histogram.signed(13, bucket.getCount() - before);
      before = bucket.getCount();
    }
  }

  private static void span(ProtobufMessage histogram, int offset, int length) {
    histogram.message(12, new ProtobufMessage().signed(1, offset).whole(2, length));
  }
}
