package io.servedrift.monitors.stats;

/**
 * Which mechanism changed the mix. The share of a cell is a product of mechanisms, such as P(load)
 * P(class | load) P(hit | load, class); each has a value for the reference and one for the window.
 * v(S) = sum over cells of (product of the factors, those in S from the window, the others from the
 * reference) times the cell's reference mean; the result is {@link Shapley} of v. It sums to v(all)
 * - v(none), the composition part of the shift: a hit rate that fell because other prompts came is
 * charged to the class mechanism. Budhathoki, Janzing, Bloebaum &amp; Ng, AISTATS 2021. Pure
 * functions.
 */
public final class MechanismShapley {
  private MechanismShapley() {}

  /**
   * Contributions of the mechanisms.
   *
   * @param reference for each mechanism, its factor in every cell, under the reference
   * @param window the same under the window
   * @param mean reference mean of each cell
   * @return one contribution for each mechanism, in the unit of the mean
   */
  public static double[] of(double[][] reference, double[][] window, double[] mean) {
    return Shapley.of(worths(reference, window, mean));
  }

  /** v of every set of mechanisms, by the bits of its index; arguments as for {@link #of}. */
  public static double[] worths(double[][] reference, double[][] window, double[] mean) {
    Arguments.requireSameLength("window", window.length, "reference", reference.length);
    int mechanisms = reference.length;
    for (int i = 0; i < mechanisms; i++) {
      Arguments.requireSameLength("reference factor", reference[i].length, "mean", mean.length);
      Arguments.requireSameLength("window factor", window[i].length, "mean", mean.length);
    }
    double[] worth = new double[1 << mechanisms];
    for (int set = 0; set < worth.length; set++) {
      double sum = 0;
      for (int cell = 0; cell < mean.length; cell++) {
        double share = mean[cell];
        for (int i = 0; i < mechanisms; i++) {
          share *= (set & 1 << i) == 0 ? reference[i][cell] : window[i][cell];
        }
        sum += share;
      }
      worth[set] = sum;
    }
    return worth;
  }
}
