package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/** Numbers and sentences of a verdict. */
final class Wording {
  private static final double Z95 = 1.959963984540054;

  /** What sums of rounded terms leave of an exact zero; no score or second is that small. */
  private static final double ROUNDING = 1e-12;

  private Wording() {}

  /** Three significant digits, plain. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      return "unknown";
    }
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(3, RoundingMode.HALF_EVEN));
    return Math.abs(value) < ROUNDING ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  static String signed(double value) {
    return (value >= ROUNDING ? "+" : "") + number(value);
  }

  static String percent(double share) {
    return Math.round(100 * share) + " %";
  }

  static String interval(Interval interval) {
    return "(" + number(interval.lower()) + ".." + number(interval.upper()) + ")";
  }

  static String estimate(ResidualCells.Estimate estimate) {
    double half = Z95 * estimate.standardError();
    return signed(estimate.mean())
        + " "
        + interval(new Interval(estimate.mean() - half, estimate.mean() + half));
  }

  static String cleanPath(CleanPath path) {
    if (path.requests() == 0) {
      return "no request at small batch, cache miss and not preempted";
    }
    double half = Z95 * path.standardError();
    return which(path)
        + " moved by "
        + signed(path.shift())
        + " "
        + interval(new Interval(path.shift() - half, path.shift() + half))
        + ", n="
        + path.requests();
  }

  private static String which(CleanPath path) {
    if (!path.recorded()) {
      return "requests, whose batch, cache and preemption are not recorded,";
    }
    List<String> known = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    (path.batch() ? known : unknown).add(path.batch() ? "batch 1 to 3" : "batch");
    (path.cache() ? known : unknown).add(path.cache() ? "cache miss" : "cache");
    (path.preemption() ? known : unknown).add(path.preemption() ? "not preempted" : "preemption");
    return unknown.isEmpty()
        ? "requests at " + String.join(", ", known)
        : "requests with "
            + String.join(", ", known)
            + " ("
            + String.join(" and ", unknown)
            + " not recorded)";
  }

  /** {@code cache=hit}, {@code every request}. */
  static String feature(Feature feature) {
    if (feature.everything()) {
      return "every request";
    }
    return feature.covariate() + "=" + level(feature);
  }

  /** {@code hit}, {@code hit and batch=8+}. */
  static String level(Feature feature) {
    Feature within = feature.within();
    return within == null ? feature.level() : feature.level() + " and " + feature(within);
  }

  static String contribution(CauseShare share, double total) {
    return "explains "
        + signed(share.contribution())
        + " "
        + interval(share.interval())
        + " of "
        + signed(total);
  }
}
