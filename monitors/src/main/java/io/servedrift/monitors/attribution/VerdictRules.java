package io.servedrift.monitors.attribution;

/**
 * When a cause is named (STATISTICS C.5). Immutable.
 *
 * @param probability least probability of being the largest cause
 * @param share least share of the shift
 * @param listedShare other causes with at least this share are listed as contributing
 * @param collinear phi coefficient from which two indicators count as inseparable
 * @param unsupported largest share of the window in cells the reference hardly knows
 * @param draws number of Monte Carlo draws
 * @param resamples number of block bootstrap samples of the composition part
 */
public record VerdictRules(
    double probability,
    double share,
    double listedShare,
    double collinear,
    double unsupported,
    int draws,
    int resamples) {
  /** The defaults. */
  public static final VerdictRules DEFAULT = new VerdictRules(.8, .45, .05, .8, .2, 1000, 40);

  /** Share from which a cause is not ruled out. */
  static final double NOT_RULED_OUT = .3;

  /** Reference requests from which a cell counts as known. */
  static final int KNOWN_CELL = 10;
}
