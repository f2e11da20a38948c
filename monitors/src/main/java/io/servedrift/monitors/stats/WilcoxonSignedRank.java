package io.servedrift.monitors.stats;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Whether differences lie around zero, by the ranks of their sizes (Wilcoxon 1945): normal
 * approximation without continuity correction, zeros left out, variance corrected for ties. Good
 * from about 10 differences that are not zero. Pure function.
 */
public final class WilcoxonSignedRank {
  private WilcoxonSignedRank() {}

  /**
   * z, above 0 when the differences are mostly above zero; 0 when all are zero.
   *
   * @param differences finite, at least one
   */
  public static ZScore of(double[] differences) {
    Arguments.requireAtLeast("number of differences", (long) differences.length, 1L);
    double[] sorted =
        Arrays.stream(differences)
            .peek(d -> Arguments.requireFinite("difference", d))
            .filter(d -> d != 0)
            .boxed()
            .sorted(Comparator.comparingDouble(Math::abs))
            .mapToDouble(Double::doubleValue)
            .toArray();
    double n = sorted.length;
    double above = 0;
    double ties = 0;
    for (int from = 0; from < sorted.length; ) {
      int to = from;
      while (to < sorted.length && Math.abs(sorted[to]) == Math.abs(sorted[from])) {
        to++;
      }
      double rank = (from + 1.0 + to) / 2;
      double tied = (double) to - from;
      ties += tied * tied * tied - tied;
      for (int i = from; i < to; i++) {
        above += sorted[i] > 0 ? rank : 0;
      }
      from = to;
    }
    double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    return new ZScore(variance > 0 ? (above - n * (n + 1) / 4) / Math.sqrt(variance) : 0);
  }
}
