package io.servedrift.monitors.stats;

/**
 * Recursions of e-detectors, in logarithms, so that no shift is large enough to overflow.
 *
 * <p>With e-factors L_t (not negative, E[L_t | past] &lt;= 1 while nothing has changed), Shiryaev
 * and Roberts' M_t = L_t (1 + M_{t-1}) and Page's C_t = L_t max(1, C_{t-1}) are e-detectors: at
 * every stopping time T their expectation is at most E[T]. So an alarm at M &gt;= A comes on
 * average after at least A updates, and P(alarm within t) &lt;= t / A. M is never below C and is
 * bounded by the same A, so it never alarms later. Shin, Ramdas &amp; Rinaldo, arXiv:2203.03532,
 * section 2.
 *
 * <p>Averages of e-detectors with fixed weights are e-detectors of the same A, however dependent
 * they are: {@link EMerge#logMean}. An update that is left out leaves M as it is. Pure functions.
 */
public final class ShiryaevRoberts {
  /** ln M_0 = ln 0. */
  public static final double START = Double.NEGATIVE_INFINITY;

  /** ln C_0 = ln 1. */
  public static final double CUSUM_START = 0;

  private ShiryaevRoberts() {}

  /**
   * ln M_t = l_t + ln(1 + M_{t-1}).
   *
   * @param logBefore ln M_{t-1}; {@link #START} at first
   * @param logFactor l_t = ln L_t in nats; -infinity for L_t = 0
   * @throws IllegalArgumentException for a factor that is not a number or infinite
   */
  public static double next(double logBefore, double logFactor) {
    check(logFactor);
    return logFactor + LogSpace.onePlus(logBefore);
  }

  /**
   * ln C_t = l_t + max(0, ln C_{t-1}).
   *
   * @param logBefore ln C_{t-1}; {@link #CUSUM_START} at first
   * @param logFactor as for {@link #next}
   */
  public static double nextCusum(double logBefore, double logFactor) {
    check(logFactor);
    return logFactor + Math.max(0, logBefore);
  }

  private static void check(double logFactor) {
    if (!(logFactor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "logFactor=" + logFactor + ": must be finite or -infinity");
    }
  }
}
