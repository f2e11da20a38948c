package io.servedrift.monitors.stats;

/**
 * Robbins' mixture e-process for a rate: the likelihood ratio of k successes in n trials, averaged
 * over Beta(a, b), against p: ln M = ln B(a + k, b + n - k) - ln B(a, b) - k ln p - (n - k) ln(1 -
 * p). A martingale with mean 1 when trials are independent with probability p; so it may be looked
 * at after every trial. Pure functions.
 */
public final class BetaBinomialProcess {
  /** Halvings of a bracket within [0, 1]: after them neighbouring doubles are reached. */
  private static final int HALVINGS = 1100;

  private BetaBinomialProcess() {}

  /**
   * ln M, evidence in nats against p.
   *
   * @param successes k, 0 to n
   * @param n trials, 0 or more
   * @param p rate under the hypothesis, inside (0, 1)
   * @param a first parameter of the mixture, above 0; a / (a + b) is the rate it looks around
   * @param b second parameter, above 0; a + b says how many trials that belief is worth
   */
  public static double logE(long successes, long n, double p, double a, double b) {
    Arguments.requireInside("p", p);
    return mixture(successes, n, a, b) - logLikelihood(successes, n, p);
  }

  /**
   * Confidence sequence: all rates with ln M &lt; ln(1/alpha). Holds the true rate at all n at once
   * with probability 1 - alpha or more.
   *
   * @param level 1 - alpha, inside (0, 1)
   */
  public static Interval interval(long successes, long n, double level, double a, double b) {
    Arguments.requireInside("level", level);
    double mixture = mixture(successes, n, a, b);
    double least = mixture + StrictMath.log(1 - level);
    if (n == 0) {
      return new Interval(0, 1);
    }
    // The likelihood rises up to k/n and falls after it, and at k/n no mixture is above it.
    double top = (double) successes / n;
    return new Interval(
        successes == 0 ? 0 : edge(0, top, successes, n, least),
        successes == n ? 1 : edge(1, top, successes, n, least));
  }

  /** Where the log likelihood crosses a bound, between a rate outside and one inside. */
  private static double edge(double outside, double inside, long k, long n, double least) {
    double out = outside;
    double in = inside;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (out + in) / 2;
      if (middle == out || middle == in) {
        break;
      }
      if (logLikelihood(k, n, middle) > least) {
        in = middle;
      } else {
        out = middle;
      }
    }
    return in;
  }

  private static double mixture(long k, long n, double a, double b) {
    Arguments.requireAtLeast("n", n, 0L);
    Arguments.requireCount("successes", k, n);
    Arguments.requireAbove("a", a, 0);
    Arguments.requireAbove("b", b, 0);
    return LogGamma.beta(a + k, b + (n - k)) - LogGamma.beta(a, b);
  }

  private static double logLikelihood(long k, long n, double p) {
    return (k == 0 ? 0 : k * StrictMath.log(p)) + (k == n ? 0 : (n - k) * StrictMath.log1p(-p));
  }
}
