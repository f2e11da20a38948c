package io.servedrift.monitors.attribution;

/**
 * How far two indicators coincide in a window: the phi coefficient of their two-way table, and the
 * requests that would tell them apart, those with exactly one of the two.
 *
 * @param first feature number
 * @param second feature number
 * @param phi phi coefficient, -1..1
 * @param requests all requests
 * @param onlyFirst requests with the first only
 * @param onlySecond requests with the second only
 * @param both requests with both
 */
record Overlap(
    int first,
    int second,
    double phi,
    double requests,
    double onlyFirst,
    double onlySecond,
    double both) {

  /**
   * (z_.95 + z_.8)^2: requests per off-diagonal cell for a one-sided test of level .05 with power
   * .8 of a shift of one standard deviation.
   */
  private static final double REQUESTS_PER_SQUARED_RATIO = 6.2;

  /** Overlap of two features. */
  static Overlap of(Evidence evidence, int first, int second) {
    boolean[] a = evidence.rows(first);
    boolean[] b = evidence.rows(second);
    ResidualCells cells = evidence.cells();
    double both = cells.requests(a, b);
    double onlyA = cells.requests(a) - both;
    double onlyB = cells.requests(b) - both;
    double n = cells.requests();
    return new Overlap(first, second, phi(n, onlyA, onlyB, both), n, onlyA, onlyB, both);
  }

  private static double phi(double n, double onlyA, double onlyB, double both) {
    double a = (both + onlyA) / n;
    double b = (both + onlyB) / n;
    double spread = Math.max(a * (1 - a), 1e-12) * Math.max(b * (1 - b), 1e-12);
    return (both / n - a * b) / StrictMath.sqrt(spread);
  }

  /** Requests that could tell the two apart; for indicators that exclude each other the others. */
  double discriminating() {
    return phi >= 0 ? onlyFirst + onlySecond : both + (requests - both - onlyFirst - onlySecond);
  }

  /** Share of requests in which the two agree, or exclude each other. */
  double coincidence() {
    return 1 - discriminating() / requests;
  }

  /**
   * Further discriminating requests needed: enough per cell of the table to see the shift, and
   * enough to bring the phi coefficient below a limit.
   *
   * @param variance of one request
   * @param shift to be told apart, in the unit of the metric
   */
  long missing(double variance, double shift, double limit) {
    double perCell = REQUESTS_PER_SQUARED_RATIO * variance / (shift * shift);
    double one = phi >= 0 ? onlyFirst : both;
    double other = discriminating() - one;
    double forTest = Math.max(0, perCell - one) + Math.max(0, perCell - other);
    double wanted = Math.max(forTest, forPhi(limit));
    return (long) StrictMath.ceil(Math.min(wanted, 1e12));
  }

  private double forPhi(double limit) {
    double few = 0;
    double enough = 1;
    while (Math.abs(phiWith(enough)) >= limit && enough < 1e12) {
      few = enough;
      enough *= 2;
    }
    while (enough - few > 1) {
      double middle = StrictMath.floor((few + enough) / 2);
      if (Math.abs(phiWith(middle)) >= limit) {
        few = middle;
      } else {
        enough = middle;
      }
    }
    return Math.abs(phi) < limit ? 0 : enough;
  }

  private double phiWith(double further) {
    double half = further / 2;
    return phi >= 0
        ? phi(requests + further, onlyFirst + half, onlySecond + half, both)
        : phi(requests + further, onlyFirst, onlySecond, both + half);
  }
}
