package io.servedrift.monitors.detection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Splits the false-alarm budget of a deployment over its families: half of it equally over the
 * largest ones, half by traffic over all. So a flood of small configurations cannot blind the
 * monitor: it takes at most half of the budget, and no more than its traffic deserves.
 */
public final class BudgetShares {
  /** Families among which the equal half is split, at most. */
  public static final int LARGEST = 50;

  private BudgetShares() {}

  /**
   * Shares, adding up to at most 1.
   *
   * @param traffic values per family with a firm baseline, at least 0 each
   * @return share by family, above 0; empty for no families
   */
  public static <K extends Comparable<K>> SortedMap<K, Double> of(SortedMap<K, Double> traffic) {
    double total = 0;
    for (double one : traffic.values()) {
      if (!(one >= 0 && one < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("traffic " + one + ": must be finite and at least 0");
      }
      total += one;
    }
    List<Map.Entry<K, Double>> bySize = new ArrayList<>(traffic.entrySet());
    bySize.sort(
        Map.Entry.<K, Double>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()));
    int largest = Math.min(LARGEST, bySize.size());
    SortedMap<K, Double> shares = new TreeMap<>();
    for (int i = 0; i < bySize.size(); i++) {
      double equal = i < largest ? 0.5 / largest : 0;
      // Without any traffic, all are alike; a tiny share keeps the smallest ones finite.
      double byTraffic = total > 0 ? 0.5 * bySize.get(i).getValue() / total : 0.5 / bySize.size();
      shares.put(bySize.get(i).getKey(), Math.max(equal + byTraffic, 1e-9));
    }
    return shares;
  }
}
