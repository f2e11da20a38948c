package io.servedrift.monitors.stats;

/**
 * Logarithm of the gamma function by Stirling's series, from {@link StrictMath} only: the same bits
 * on every machine. Error at most 4e-15 times the larger of 1 and the result.
 */
final class LogGamma {
  private static final double SERIES_FROM = 10;
  private static final double HALF_LOG_TWO_PI = 0.9189385332046728;

  private LogGamma() {}

  /** ln Gamma(x), x &gt; 0. */
  static double of(double x) {
    double shifted = x;
    double product = 1;
    while (shifted < SERIES_FROM) {
      product *= shifted;
      shifted++;
    }
    double inverse = 1 / shifted;
    double square = inverse * inverse;
    double series =
        inverse
            * (1 / 12.0
                - square
                    * (1 / 360.0
                        - square
                            * (1 / 1260.0
                                - square
                                    * (1 / 1680.0
                                        - square
                                            * (1 / 1188.0
                                                - square * (691 / 360360.0 - square / 156))))));
    double stirling =
        (shifted - 0.5) * StrictMath.log(shifted) - shifted + HALF_LOG_TWO_PI + series;
    return stirling - StrictMath.log(product);
  }

  /** ln Beta(a, b), both above 0. */
  static double beta(double a, double b) {
    return of(a) + of(b) - of(a + b);
  }
}
