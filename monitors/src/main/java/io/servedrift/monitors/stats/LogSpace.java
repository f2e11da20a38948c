package io.servedrift.monitors.stats;

/** Sums of numbers known by their natural logarithm, without overflow. Log 0 = -infinity. */
final class LogSpace {
  private LogSpace() {}

  /** ln(1 + exp(x)). */
  static double onePlus(double x) {
    return Math.max(x, 0) + StrictMath.log1p(StrictMath.exp(-Math.abs(x)));
  }

  /** ln(sum of exp(x)), added in the order given; -infinity for nothing. */
  static double sum(double[] x) {
    double largest = Double.NEGATIVE_INFINITY;
    for (double value : x) {
      largest = Math.max(largest, value);
    }
    if (Double.isInfinite(largest)) {
      return largest;
    }
    double scaled = 0;
    for (double value : x) {
      scaled += StrictMath.exp(value - largest);
    }
    return largest + StrictMath.log(scaled);
  }
}
