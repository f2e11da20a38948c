package io.servedrift.monitors.page;

import io.servedrift.monitors.ops.SeriesSample;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.WindowStatistics;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;

/**
 * One closed window of one series: its numbers, and the whole summary in encoded form, from which a
 * range can be merged. Immutable.
 */
public final class StoredWindow {
  private final SeriesKey series;
  private final Instant start;
  private final Instant end;
  private final WindowStatistics numbers;
  private final byte[] encoded;

  StoredWindow(SeriesKey series, WindowSummary s) {
    this.series = series;
    this.start = s.getStart();
    this.end = s.getEnd();
    this.numbers =
        new WindowStatistics(
            s.getN(),
            s.getMean(),
            s.getSd(),
            s.getP50(),
            s.getP90(),
            s.getP99(),
            s.getP999(),
            s.getP99Lower(),
            s.getP99Upper(),
            s.getMeanLower(),
            s.getMeanUpper(),
            s.getLevel(),
            s.getP99State(),
            s.getMin(),
            s.getMax());
    // The histogram and the digest are the heavy part; encoded they take a tenth of what objects
    // take.
    this.encoded = EventCodec.encode(s);
  }

  /** The series it belongs to. */
  public SeriesKey series() {
    return series;
  }

  /** First moment of the window. */
  public Instant start() {
    return start;
  }

  /** First moment after the window. */
  public Instant end() {
    return end;
  }

  /** Length of the window. */
  public Duration length() {
    return Duration.between(start, end);
  }

  /** Its numbers; durations in seconds, ratios 0..1, scores in their own unit. */
  public WindowStatistics numbers() {
    return numbers;
  }

  /** Size of the encoded form. */
  int bytes() {
    return encoded.length;
  }

  /** The whole summary, decoded anew. */
  WindowSummary summary() {
    return (WindowSummary) EventCodec.decode(encoded);
  }

  SeriesSample sample() {
    return new SeriesSample(
        series.deployment(),
        series.modelId(),
        series.configId(),
        series.metric(),
        WindowLength.text(length()),
        end,
        numbers.n(),
        numbers.p50(),
        numbers.p99(),
        numbers.p99Lower(),
        numbers.p99Upper(),
        numbers.mean(),
        numbers.meanLower(),
        numbers.meanUpper(),
        null);
  }
}
