package io.servedrift.monitors.stats;

/**
 * The difference p1 - p2 of two independent proportions, from k1 of n1 and k2 of n2. Pure
 * functions.
 */
public final class ProportionDifference {
  private ProportionDifference() {}

  /**
   * Newcombe's interval (1998, method 10), from the two Wilson intervals.
   *
   * @param k1 successes of the first, 0 to n1
   * @param n1 at least 1
   * @param k2 successes of the second, 0 to n2
   * @param n2 at least 1
   * @param level inside (0, 1)
   */
  public static Interval newcombe(long k1, long n1, long k2, long n2, double level) {
    Interval first = ProportionInterval.wilson(k1, n1, level);
    Interval second = ProportionInterval.wilson(k2, n2, level);
    double p1 = (double) k1 / n1;
    double p2 = (double) k2 / n2;
    double difference = p1 - p2;
    return new Interval(
        difference - root(p1 - first.lower(), second.upper() - p2),
        difference + root(first.upper() - p1, p2 - second.lower()));
  }

  /**
   * Score test of p1 - p2 = margin by Farrington &amp; Manning (1990): the variance is that of the
   * most likely proportions with this difference. Against "p1 - p2 is at least the margin" read
   * {@link ZScore#lower}: small means the first is not worse by the margin.
   *
   * @param k1 successes of the first, 0 to n1
   * @param n1 at least 1
   * @param k2 successes of the second, 0 to n2
   * @param n2 at least 1
   * @param margin inside (-1, 1)
   */
  public static ZScore farringtonManning(long k1, long n1, long k2, long n2, double margin) {
    check(k1, n1, k2, n2, margin);
    double p1 = (double) k1 / n1;
    double p2 = (double) k2 / n2;
    double first = restricted(p1, p2, (double) n2 / n1, margin);
    double second = Math.max(0, Math.min(1, first - margin));
    double variance = first * (1 - first) / n1 + second * (1 - second) / n2;
    double difference = p1 - p2 - margin;
    return new ZScore(difference == 0 ? 0 : difference / Math.sqrt(variance));
  }

  /**
   * The same by Miettinen &amp; Nurminen (1985): the variance is larger by N / (N - 1), N = n1 +
   * n2.
   */
  public static ZScore miettinenNurminen(long k1, long n1, long k2, long n2, double margin) {
    double n = (double) n1 + n2;
    return new ZScore(farringtonManning(k1, n1, k2, n2, margin).z() * Math.sqrt((n - 1) / n));
  }

  /** Most likely p1 when p1 - p2 = margin: the root of a cubic, in the letters of the paper. */
  private static double restricted(double p1, double p2, double theta, double margin) {
    double a = 1 + theta;
    double b = -(1 + theta + p1 + theta * p2 + margin * (theta + 2));
    double c = margin * margin + margin * (2 * p1 + theta + 1) + p1 + theta * p2;
    double d = -p1 * margin * (1 + margin);
    double third = b / (3 * a);
    double v = third * third * third - b * c / (6 * a * a) + d / (2 * a);
    double u = Math.copySign(Math.sqrt(Math.max(0, third * third - c / (3 * a))), v);
    double cosine = u == 0 ? 0 : Math.max(-1, Math.min(1, v / (u * u * u)));
    double w = (Math.PI + StrictMath.acos(cosine)) / 3;
    double root = 2 * u * StrictMath.cos(w) - third;
    // The arc cosine near its ends keeps half of the digits; Newton's steps bring back the others.
    for (int i = 0; i < 2; i++) {
      double slope = (3 * a * root + 2 * b) * root + c;
      root -= slope == 0 ? 0 : (((a * root + b) * root + c) * root + d) / slope;
    }
    return Math.max(Math.max(0, margin), Math.min(Math.min(1, 1 + margin), root));
  }

  private static double root(double x, double y) {
    return Math.sqrt(x * x + y * y);
  }

  private static void check(long k1, long n1, long k2, long n2, double margin) {
    Arguments.requireAtLeast("n1", n1, 1L);
    Arguments.requireAtLeast("n2", n2, 1L);
    Arguments.requireCount("k1", k1, n1);
    Arguments.requireCount("k2", k2, n2);
    if (!(margin > -1 && margin < 1)) {
      throw new IllegalArgumentException(
          "margin=" + margin + ": must lie between -1 and 1, both excluded");
    }
  }
}
