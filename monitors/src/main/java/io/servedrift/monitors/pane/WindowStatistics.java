package io.servedrift.monitors.pane;

import io.servedrift.monitors.pane.ValueDistribution.RankBounds;
import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanInterval;
import io.servedrift.monitors.stats.MinimumSampleSize;
import io.servedrift.monitors.stats.NearestRank;
import io.servedrift.monitors.stats.OrderStatisticInterval;
import io.servedrift.monitors.stats.ProportionInterval;
import io.servedrift.monitors.stats.QuantileReadiness;
import io.servedrift.schemas.avro.QuantileState;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one series over one window. Null means: cannot be said, or does not apply; never
 * zero.
 *
 * <p>Quantiles are nearest-rank order statistics. Up to {@link ValueDistribution#VALUE_LIMIT}
 * values they are exact. Above, the t-digest's estimate is clamped into the histogram bin that
 * provably holds the order statistic, so the error is less than the width of that bin whatever the
 * digest does. Example: 10,000 latencies, the p99 is the 9,900th; the counts say that it lies in
 * the bin (99.50 s, 101.51 s]. The digest's 100.2 s stands; had it said 93 s or 108 s, 99.50 s or
 * 101.51 s would be shown. With 1 % bins no quantile of a duration is ever off by more than 2.03 %.
 *
 * <p>p50 is given from 1 value, p90 from 10, p99 from 100: below 1/(1-q) values the nearest rank is
 * the maximum and would only look like a quantile. p99.9 is given from 3688 (when its 95 % interval
 * exists). The interval of p99 is that of two order statistics (outer edges of their bins):
 * two-sided from 368 values, only a lower limit from 299, none below; {@link #p99State} says which.
 * These n are for 95 % and follow the level.
 *
 * <p>The intervals suppose independent requests. Requests that share a queue are not, see
 * RATIONALE.
 *
 * <p>Ratios (a {@link HistogramLayout#binary} layout) have no quantiles: mean with Clopper-Pearson
 * interval, state not applicable. Other means have Student's t interval, from 2 values.
 *
 * @param n number of values
 * @param mean mean
 * @param sd standard deviation, divisor n - 1
 * @param p50 median
 * @param p90 90 % quantile
 * @param p99 99 % quantile
 * @param p999 99.9 % quantile
 * @param p99Lower lower limit of p99
 * @param p99Upper upper limit of p99
 * @param meanLower lower limit of the mean
 * @param meanUpper upper limit of the mean
 * @param level confidence level of both intervals
 * @param p99State how much the p99 may be believed
 * @param min smallest value
 * @param max largest value
 */
public record WindowStatistics(
    long n,
    @Nullable Double mean,
    @Nullable Double sd,
    @Nullable Double p50,
    @Nullable Double p90,
    @Nullable Double p99,
    @Nullable Double p999,
    @Nullable Double p99Lower,
    @Nullable Double p99Upper,
    @Nullable Double meanLower,
    @Nullable Double meanUpper,
    double level,
    QuantileState p99State,
    @Nullable Double min,
    @Nullable Double max) {

  /** Confidence level unless a policy says otherwise. */
  public static final double DEFAULT_LEVEL = 0.95;

  private static final double TAIL = 0.99;
  private static final double FAR_TAIL = 0.999;

  /** As {@link #of(ValueDistribution, TailSketch, double)} at {@link #DEFAULT_LEVEL}. */
  public static WindowStatistics of(ValueDistribution values, TailSketch sketch) {
    return of(values, sketch, DEFAULT_LEVEL);
  }

  /**
   * The numbers of a window.
   *
   * @param values all values of the window
   * @param sketch sketch of the same values; not looked at for ratios and while values are carried
   * @param level confidence level, inside (0, 1)
   * @throws IllegalArgumentException when values and sketch are of different n
   */
  public static WindowStatistics of(ValueDistribution values, TailSketch sketch, double level) {
    if (values.layout().isBinary()) {
      return ofRatio(values, level);
    }
    long n = values.n();
    if (values.values() == null && sketch.n() != n) {
      throw new IllegalArgumentException(
          "sketch of n=" + sketch.n() + " with a distribution of n=" + n + ": must be the same");
    }
    Quantiles quantiles = new Quantiles(values, sketch);
    QuantileReadiness readiness = QuantileReadiness.of(n, TAIL, level);
    Double p99Lower = null;
    Double p99Upper = null;
    if (readiness != QuantileReadiness.INSUFFICIENT) {
      OrderStatisticInterval ranks = OrderStatisticInterval.of(n, TAIL, level);
      if (ranks.lowerRank().isPresent()) {
        p99Lower = values.rankBin(ranks.lowerRank().getAsLong()).lower();
      }
      if (ranks.upperRank().isPresent()) {
        p99Upper = values.rankBin(ranks.upperRank().getAsLong()).upper();
      }
    }
    Double mean = null;
    Double sd = null;
    Interval meanInterval = null;
    if (n >= 1) {
      mean = values.mean();
    }
    if (mean != null && n >= 2) {
      sd = Math.sqrt(values.variance());
      meanInterval = MeanInterval.of(n, mean, sd, level);
    }
    return new WindowStatistics(
        n,
        mean,
        sd,
        quantiles.at(0.5, 1),
        quantiles.at(0.9, 10),
        quantiles.at(TAIL, 100),
        quantiles.at(FAR_TAIL, MinimumSampleSize.twoSided(FAR_TAIL, level)),
        p99Lower,
        p99Upper,
        meanInterval == null ? null : meanInterval.lower(),
        meanInterval == null ? null : meanInterval.upper(),
        level,
        QuantileState.valueOf(readiness.name()),
        n == 0 ? null : values.min(),
        n == 0 ? null : values.max());
  }

  private static WindowStatistics ofRatio(ValueDistribution values, double level) {
    long n = values.n();
    Interval interval =
        n == 0
            ? null
            : ProportionInterval.clopperPearson(values.sumUnits().longValueExact(), n, level);
    return new WindowStatistics(
        n,
        n == 0 ? null : values.mean(),
        n < 2 ? null : Math.sqrt(values.variance()),
        null,
        null,
        null,
        null,
        null,
        null,
        interval == null ? null : interval.lower(),
        interval == null ? null : interval.upper(),
        level,
        QuantileState.NOT_APPLICABLE,
        n == 0 ? null : values.min(),
        n == 0 ? null : values.max());
  }

  /**
   * A window record with these numbers, the distribution and (not for ratios) the digest; the
   * caller adds whose and when.
   */
  public static WindowSummary.Builder summary(
      ValueDistribution values, TailSketch sketch, double level) {
    WindowStatistics numbers = of(values, sketch, level);
    boolean ratio = values.layout().isBinary();
    return WindowSummary.newBuilder()
        .setN(numbers.n)
        .setMean(numbers.mean)
        .setSd(numbers.sd)
        .setP50(numbers.p50)
        .setP90(numbers.p90)
        .setP99(numbers.p99)
        .setP999(numbers.p999)
        .setP99Lower(numbers.p99Lower)
        .setP99Upper(numbers.p99Upper)
        .setMeanLower(numbers.meanLower)
        .setMeanUpper(numbers.meanUpper)
        .setLevel(level)
        .setP99State(numbers.p99State)
        .setMin(numbers.min)
        .setMax(numbers.max)
        .setDigest(ratio ? null : ByteBuffer.wrap(sketch.toBytes()))
        .setDistribution(values.toAvro());
  }

  private record Quantiles(ValueDistribution values, TailSketch sketch) {
    @Nullable Double at(double q, long fromN) {
      if (values.n() < fromN) {
        return null;
      }
      long rank = NearestRank.of(q, values.n());
      RankBounds bounds = values.rankBin(rank);
      if (bounds.lower() == bounds.upper()) {
        return bounds.lower();
      }
      return bounds.clamp(sketch.atRanks(rank)[0]);
    }
  }
}
