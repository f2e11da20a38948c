package io.servedrift.monitors.stats;

/**
 * Log e-factor of k successes in n trials against a success probability of p0, as the product of
 * bets on each trial: k ln(1 + lambda (1 - p0)) + (n - k) ln(1 - lambda p0). Its expectation is 1
 * when every trial, given those before, succeeds with probability p0; at most 1 when it is p0 or
 * less and lambda is positive, p0 or more and lambda is negative. Waudby-Smith &amp; Ramdas, JRSS B
 * 86 (2024). Exact, but only where trials do not hang together: gates and replays, not live
 * traffic. Pure function.
 */
public final class BettingFactor {
  private BettingFactor() {}

  /**
   * Evidence in nats; -infinity when the stake is lost.
   *
   * @param successes k, 0 to n
   * @param n trials, 0 or more
   * @param p0 probability under the hypothesis, inside (0, 1)
   * @param lambda stake, fixed before the trials, from -1/(1 - p0) to 1/p0
   */
  public static double logFactor(long successes, long n, double p0, double lambda) {
    Arguments.requireAtLeast("n", n, 0L);
    Arguments.requireCount("successes", successes, n);
    Arguments.requireInside("p0", p0);
    if (!(lambda * p0 <= 1 && lambda * (1 - p0) >= -1)) {
      throw new IllegalArgumentException(
          "lambda=" + lambda + ": must be between -1/(1 - p0) and 1/p0, p0=" + p0);
    }
    return times(successes, StrictMath.log1p(lambda * (1 - p0)))
        + times(n - successes, StrictMath.log1p(-lambda * p0));
  }

  private static double times(long count, double log) {
    return count == 0 ? 0 : count * log;
  }
}
