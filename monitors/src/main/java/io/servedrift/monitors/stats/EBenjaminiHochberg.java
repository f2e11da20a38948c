package io.servedrift.monitors.stats;

import java.util.Arrays;

/**
 * e-BH: which of many e-values to act on at once. With e_(1) &gt;= e_(2) &gt;= ..., the k* largest
 * are taken, k* = max{k: e_(k) &gt;= bound / k}. For K e-values and bound = K / alpha the expected
 * share of false ones among them is at most alpha, under any dependence (Wang &amp; Ramdas, JRSS B
 * 84, 2022). For e-detectors and bound = A it is e-d-BH (Dandapanthula &amp; Ramdas,
 * arXiv:2501.04130): an event that hits many series needs less evidence in each. Pure functions.
 */
public final class EBenjaminiHochberg {
  private EBenjaminiHochberg() {}

  /**
   * Indices of the rejected hypotheses, ascending.
   *
   * @param e e-values, not negative, infinity allowed
   * @param alpha false discovery rate, inside (0, 1)
   */
  public static int[] reject(double[] e, double alpha) {
    Arguments.requireInside("alpha", alpha);
    return e.length == 0 ? new int[0] : select(e, e.length / alpha);
  }

  /**
   * Indices of the selected series, ascending.
   *
   * @param e e-values or values of e-detectors, not negative, infinity allowed
   * @param bound what a single one would have to reach; above 0
   */
  public static int[] select(double[] e, double bound) {
    Arguments.requireAbove("bound", bound, 0);
    double[] ascending = e.clone();
    Arrays.sort(ascending);
    double least = Double.POSITIVE_INFINITY;
    boolean any = false;
    for (int k = 1; k <= e.length; k++) {
      double kth = ascending[e.length - k];
      if (!(kth >= 0)) {
        throw new IllegalArgumentException("e=" + kth + ": must not be negative");
      }
      if (kth >= bound / k) {
        least = kth;
        any = true;
      }
    }
    if (!any) {
      return new int[0];
    }
    // Equal values are never parted: were the k-th taken, an equal next one meets a lower bound.
    int[] selected = new int[e.length];
    int number = 0;
    for (int i = 0; i < e.length; i++) {
      if (e[i] >= least) {
        selected[number++] = i;
      }
    }
    return Arrays.copyOf(selected, number);
  }
}
