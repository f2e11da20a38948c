package io.servedrift.monitors.attribution;

/**
 * Other shares of the levels of a narrow covariate than the reference had at like load, and how far
 * they move the mean of all requests at what a request of each level usually has.
 *
 * @param covariate label in the catalogue, as in {@code where}
 * @param level the level whose share moves the metric most in that direction
 * @param cause what it is charged to
 * @param expected move of the mean of all requests, in the unit of the metric
 * @param sd how sure that is
 * @param others requests of the levels in which serving did nothing
 * @param othersRelative how much further those moved than all requests
 * @param othersVariance of {@code othersRelative}
 * @param all as in {@link Margin}
 */
public record MarginExposure(
    String covariate,
    String level,
    Cause cause,
    double expected,
    double sd,
    double others,
    double othersRelative,
    double othersVariance,
    double all) {

  /** Checks the numbers. */
  public MarginExposure {
    if (!(sd > 0 && othersVariance >= 0) || !Double.isFinite(expected)) {
      throw new IllegalArgumentException(
          "exposure "
              + covariate
              + ": expected="
              + expected
              + " sd="
              + sd
              + " othersVariance="
              + othersVariance
              + ": sd must be above 0, the variance not negative");
    }
  }
}
