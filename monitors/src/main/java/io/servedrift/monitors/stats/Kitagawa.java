package io.servedrift.monitors.stats;

/**
 * Splits the difference of two means over the same cells into what comes from other shares (mix)
 * and what comes from other means within cells. Kitagawa, JASA 50 (1955); Oaxaca and Blinder
 * (1973). Exact: the parts add up to the difference. With exceedance probabilities for means it
 * splits a change of an exceedance rate. Pure functions.
 */
public final class Kitagawa {
  /**
   * The two parts.
   *
   * @param mix due to other shares, in the unit of the means
   * @param within due to other means within cells
   */
  public record Parts(double mix, double within) {
    /** The difference of the two means. */
    public double total() {
      return mix + within;
    }
  }

  private Kitagawa() {}

  /**
   * Anchored at the reference: mix = sum (pi_W - pi_R) m_R, within = sum pi_W (m_W - m_R). The
   * second is the mean residual of the window: what today's requests lose. A window mean is not
   * read in cells without window share, nor a reference mean where neither side has a share.
   *
   * @param shareReference pi_R, not negative, sum 1
   * @param meanReference m_R
   * @param shareWindow pi_W, not negative, sum 1
   * @param meanWindow m_W
   */
  public static Parts anchored(
      double[] shareReference, double[] meanReference, double[] shareWindow, double[] meanWindow) {
    checkLengths(shareReference, meanReference, shareWindow, meanWindow);
    double mix = 0;
    double within = 0;
    for (int i = 0; i < shareReference.length; i++) {
      if (shareReference[i] != 0 || shareWindow[i] != 0) {
        mix += (shareWindow[i] - shareReference[i]) * meanReference[i];
      }
      if (shareWindow[i] != 0) {
        within += shareWindow[i] * (meanWindow[i] - meanReference[i]);
      }
    }
    return new Parts(mix, within);
  }

  /**
   * Symmetric: mix = sum (pi_W - pi_R)(m_R + m_W)/2, within = sum (m_W - m_R)(pi_R + pi_W)/2.
   * Arguments as for {@link #anchored}; here every mean is read.
   */
  public static Parts midpoint(
      double[] shareReference, double[] meanReference, double[] shareWindow, double[] meanWindow) {
    checkLengths(shareReference, meanReference, shareWindow, meanWindow);
    double mix = 0;
    double within = 0;
    for (int i = 0; i < shareReference.length; i++) {
      mix += (shareWindow[i] - shareReference[i]) * (meanReference[i] + meanWindow[i]) / 2;
      within += (meanWindow[i] - meanReference[i]) * (shareReference[i] + shareWindow[i]) / 2;
    }
    return new Parts(mix, within);
  }

  /**
   * The third term of the three-fold form, sum (pi_W - pi_R)(m_W - m_R): mix has it on top of
   * {@link #anchored} when it is anchored at the window instead. Every mean is read.
   */
  public static double interaction(
      double[] shareReference, double[] meanReference, double[] shareWindow, double[] meanWindow) {
    checkLengths(shareReference, meanReference, shareWindow, meanWindow);
    double sum = 0;
    for (int i = 0; i < shareReference.length; i++) {
      sum += (shareWindow[i] - shareReference[i]) * (meanWindow[i] - meanReference[i]);
    }
    return sum;
  }

  private static void checkLengths(
      double[] shareReference, double[] meanReference, double[] shareWindow, double[] meanWindow) {
    int cells = shareReference.length;
    Arguments.requireSameLength("meanReference", meanReference.length, "shareReference", cells);
    Arguments.requireSameLength("shareWindow", shareWindow.length, "shareReference", cells);
    Arguments.requireSameLength("meanWindow", meanWindow.length, "shareReference", cells);
  }
}
