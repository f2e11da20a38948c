package io.servedrift.monitors.stats;

/**
 * Number, mean and sum of squared deviations of some values. Merging follows Chan, Golub &amp;
 * LeVeque (1979) and does not cancel; but it is arithmetic of doubles, so another order of merging
 * gives other last bits. Merge in a defined order. Immutable.
 *
 * @param n number of values, 0 or more
 * @param mean their mean; 0 when there are none
 * @param m2 sum of (x - mean)^2, 0 or more
 */
public record Moments(long n, double mean, double m2) {
  /** No values. */
  public static final Moments NONE = new Moments(0, 0, 0);

  /** Checks the arguments. */
  public Moments {
    Arguments.requireAtLeast("n", n, 0L);
    Arguments.requireFinite("mean", mean);
    Arguments.requireAtLeast("m2", m2, 0.0);
  }

  /** The moments of both sets of values together. */
  public Moments merge(Moments other) {
    if (n == 0) {
      return other;
    }
    if (other.n == 0) {
      return this;
    }
    long total = n + other.n;
    double delta = other.mean - mean;
    double share = (double) other.n / total;
    return new Moments(total, mean + delta * share, m2 + other.m2 + delta * delta * n * share);
  }

  /** Variance with divisor n - 1; NaN below two values. */
  public double variance() {
    return n < 2 ? Double.NaN : m2 / (n - 1);
  }
}
