package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanInterval;
import io.servedrift.monitors.stats.NearestRank;
import io.servedrift.monitors.stats.OrderStatisticInterval;
import java.util.ArrayList;
import java.util.List;

/**
 * The plain numbers of a stretch of one series, from counts and exact sums. What there are too few
 * values for is NaN. Immutable.
 *
 * @param fromMicros start of the first pane
 * @param toMicros end of the last pane, exclusive
 * @param n number of values
 * @param meanLower 95 % interval of the mean, requests taken as independent
 * @param p50 midpoint of the bin that holds the order statistic
 * @param p99Lower 95 % order-statistic interval of the p99, outer edges of the bins
 */
record Summary(
    long fromMicros,
    long toMicros,
    long n,
    double mean,
    double meanLower,
    double meanUpper,
    double p50,
    double p99,
    double p99Lower,
    double p99Upper) {
  private static final double LEVEL = .95;

  /** Below it, the nearest rank of a p99 is the maximum. */
  private static final long LEAST_P99 = 100;

  private static final double NONE = Double.NaN;

  /** Numbers of panes; at least one, empty ones allowed. */
  static Summary of(List<CellPane> panes, long paneMicros) {
    List<ValueDistribution> parts = new ArrayList<>();
    for (CellPane pane : panes) {
      pane.cells().forEach(cell -> parts.add(cell.values()));
    }
    long from = panes.get(0).startMicros();
    long to = panes.get(panes.size() - 1).startMicros() + paneMicros;
    if (parts.isEmpty()) {
      return new Summary(from, to, 0, NONE, NONE, NONE, NONE, NONE, NONE, NONE);
    }
    ValueDistribution all = ValueDistribution.merge(parts);
    long n = all.n();
    if (n < 2) {
      double only = n == 0 ? NONE : all.mean();
      return new Summary(from, to, n, only, NONE, NONE, only, NONE, NONE, NONE);
    }
    double mean = all.mean();
    Interval interval = MeanInterval.of(n, mean, Math.sqrt(all.variance()), LEVEL);
    if (all.layout().isBinary()) {
      return new Summary(
          from, to, n, mean, interval.lower(), interval.upper(), NONE, NONE, NONE, NONE);
    }
    double p99Lower = NONE;
    double p99Upper = NONE;
    OrderStatisticInterval ranks = OrderStatisticInterval.of(n, .99, LEVEL);
    if (ranks.lowerRank().isPresent() && ranks.upperRank().isPresent()) {
      p99Lower = all.rankBin(ranks.lowerRank().getAsLong()).lower();
      p99Upper = all.rankBin(ranks.upperRank().getAsLong()).upper();
    }
    return new Summary(
        from,
        to,
        n,
        mean,
        interval.lower(),
        interval.upper(),
        quantile(all, .5),
        n < LEAST_P99 ? NONE : quantile(all, .99),
        p99Lower,
        p99Upper);
  }

  /** Middle of the bin that holds the nearest rank. */
  static double quantile(ValueDistribution values, double q) {
    ValueDistribution.RankBounds bin = values.rankBin(NearestRank.of(q, values.n()));
    return (bin.lower() + bin.upper()) / 2;
  }

  void write(Content.Writer out) {
    out.whole(fromMicros);
    out.whole(toMicros);
    out.whole(n);
    out.doubles(new double[] {mean, meanLower, meanUpper, p50, p99, p99Lower, p99Upper});
  }

  static Summary read(Content.Reader in) {
    long from = in.whole();
    long to = in.whole();
    long n = in.whole();
    double[] v = in.doubles();
    return new Summary(from, to, n, v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
  }
}
