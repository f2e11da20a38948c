package io.servedrift.monitors.stats;

/**
 * Empirical-Bernstein e-process for a mean of values in [0, 1], against "the mean is at most m":
 * every value adds lambda_t (x_t - m) - psi(lambda_t) (x_t - mu_{t-1})^2 nats, psi(lambda) = -ln(1
 * - lambda) - lambda. Mean and variance so far, and with them the stake, start from 1/2 and 1/4:
 * mu_t = (1/2 + sum x) / (t + 1), v_t = (1/4 + sum (x_i - mu_i)^2) / (t + 1), lambda_t = min(1/2,
 * sqrt(2 ln(2/alpha) / (v_{t-1} t ln(1 + t)))). Howard, Ramdas, McAuliffe &amp; Sekhon, Annals of
 * Statistics 49 (2021), with the stake of Waudby-Smith &amp; Ramdas, JRSS B 86 (2024). For "at
 * least m" pass 1 - x and 1 - m. Immutable.
 *
 * @param m mean under the hypothesis, 0 to 1
 * @param alpha level the stake is tuned for, inside (0, 1); it does not affect validity
 * @param count values so far
 * @param sum their sum
 * @param squares sum of (x_i - mu_i)^2
 * @param logE ln of the e-process
 */
public record EmpiricalBernstein(
    double m, double alpha, long count, double sum, double squares, double logE) {
  private static final double PRIOR_MEAN = 0.5;
  private static final double PRIOR_VARIANCE = 0.25;
  private static final double LARGEST_STAKE = 0.5;

  /** Checks the arguments. */
  public EmpiricalBernstein {
    Arguments.requireProbability("m", m);
    Arguments.requireInside("alpha", alpha);
    Arguments.requireAtLeast("count", count, 0L);
  }

  /** The process before the first value: ln E = 0. */
  public static EmpiricalBernstein start(double m, double alpha) {
    return new EmpiricalBernstein(m, alpha, 0, 0, 0, 0);
  }

  /** The process after one more value of [0, 1]. */
  public EmpiricalBernstein next(double x) {
    Arguments.requireProbability("x", x);
    long t = count + 1;
    double gain = logFactor(1, x, x * x, m, mean(), stake());
    double sumAfter = sum + x;
    double deviation = x - (PRIOR_MEAN + sumAfter) / (t + 1.0);
    return new EmpiricalBernstein(
        m, alpha, t, sumAfter, squares + deviation * deviation, logE + gain);
  }

  /** mu_{t-1}: what the next value is expected to be. */
  public double mean() {
    return (PRIOR_MEAN + sum) / (count + 1.0);
  }

  /** lambda_t: the stake on the next value. */
  public double stake() {
    double variance = (PRIOR_VARIANCE + squares) / (count + 1.0);
    double t = count + 1.0;
    return Math.min(
        LARGEST_STAKE,
        Math.sqrt(2 * StrictMath.log(2 / alpha) / (variance * t * StrictMath.log1p(t))));
  }

  /**
   * Evidence in nats of a whole pane, from its sums: lambda (S - n m) - psi(lambda) (SS - 2 mu S +
   * n mu^2). It is the sum over its values when stake and mean are those fixed before the pane.
   *
   * @param n values, all in [0, 1]
   * @param sum their sum S
   * @param sumOfSquares their sum of squares SS
   * @param m mean under the hypothesis, 0 to 1
   * @param mean mu: expectation fixed before the pane, 0 to 1
   * @param stake lambda: fixed before the pane, in [0, 1)
   */
  public static double logFactor(
      long n, double sum, double sumOfSquares, double m, double mean, double stake) {
    Arguments.requireAtLeast("n", n, 0L);
    Arguments.requireProbability("m", m);
    Arguments.requireProbability("mean", mean);
    if (!(stake >= 0 && stake < 1)) {
      throw new IllegalArgumentException(
          "stake=" + stake + ": must be between 0 and 1, 1 excluded");
    }
    double psi = -StrictMath.log1p(-stake) - stake;
    return stake * (sum - n * m) - psi * (sumOfSquares - 2 * mean * sum + n * mean * mean);
  }
}
