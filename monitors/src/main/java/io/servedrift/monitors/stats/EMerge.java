package io.servedrift.monitors.stats;

/**
 * Merging of e-values (numbers whose expectation is at most 1 under the hypothesis), and the way
 * from and to p-values. Vovk &amp; Wang, Annals of Statistics 49 (2021). Pure functions.
 */
public final class EMerge {
  private EMerge() {}

  /** Arithmetic mean: an e-value however dependent the parts are. At least one e-value. */
  public static double mean(double[] e) {
    check(e);
    double sum = 0;
    for (double value : e) {
      sum += value;
    }
    return sum / e.length;
  }

  /** Product: an e-value when the parts are independent, or each is one given those before. */
  public static double product(double[] e) {
    check(e);
    double product = 1;
    for (double value : e) {
      product *= value;
    }
    return product;
  }

  /**
   * ln of the arithmetic mean of numbers known by their logarithm.
   *
   * @param logs natural logarithms, at least one; -infinity stands for 0
   */
  public static double logMean(double[] logs) {
    requireSome(logs.length);
    return LogSpace.sum(logs) - StrictMath.log(logs.length);
  }

  /**
   * ln of the weighted mean, sum of w exp(log) / sum of w. The weights must not depend on the data.
   *
   * @param logs natural logarithms; -infinity stands for 0
   * @param weights as many, not negative, one at least above 0
   */
  public static double logMean(double[] logs, double[] weights) {
    requireSome(logs.length);
    Arguments.requireSameLength("weights", weights.length, "logs", logs.length);
    double total = 0;
    double[] weighted = new double[logs.length];
    for (int i = 0; i < logs.length; i++) {
      Arguments.requireAtLeast("weight", weights[i], 0.0);
      total += weights[i];
      weighted[i] =
          weights[i] == 0 ? Double.NEGATIVE_INFINITY : logs[i] + StrictMath.log(weights[i]);
    }
    Arguments.requireAbove("sum of weights", total, 0);
    return LogSpace.sum(weighted) - StrictMath.log(total);
  }

  /** The p-value that an e-value gives: min(1, 1/e), by Markov's inequality. */
  public static double pValue(double e) {
    check(new double[] {e});
    return Math.min(1, 1 / e);
  }

  /** The e-value 1 / (2 sqrt(p)) of a p-value: its integral over p is 1. Infinite for p = 0. */
  public static double ofP(double p) {
    Arguments.requireProbability("p", p);
    return 1 / (2 * Math.sqrt(p));
  }

  private static void check(double[] e) {
    requireSome(e.length);
    for (double value : e) {
      if (!(value >= 0)) {
        throw new IllegalArgumentException("e=" + value + ": must not be negative");
      }
    }
  }

  private static void requireSome(int number) {
    Arguments.requireAtLeast("number of e-values", (long) number, 1L);
  }
}
