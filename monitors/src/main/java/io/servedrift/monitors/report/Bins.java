package io.servedrift.monitors.report;

import io.servedrift.monitors.pane.ValueDistribution;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts by histogram bin in two short arrays: hours of them are held for each series and cell.
 * Treated as immutable.
 *
 * @param bins numbers of the bins that hold something, ascending
 * @param counts as many, how much each holds
 */
@SuppressWarnings("ArrayRecordComponent") // held and merged, never compared
record Bins(int[] bins, int[] counts) {
  static final Bins NONE = new Bins(new int[0], new int[0]);

  static Bins of(ValueDistribution values) {
    if (values.n() == 0) {
      return NONE;
    }
    long[] counts = values.counts();
    int[] small = new int[counts.length];
    for (int i = 0; i < counts.length; i++) {
      small[i] = (int) Math.min(Integer.MAX_VALUE, counts[i]);
    }
    return new Bins(values.bins(), small);
  }

  static Bins merge(List<Bins> parts) {
    if (parts.size() == 1) {
      return parts.get(0);
    }
    SortedMap<Integer, Integer> all = new TreeMap<>();
    for (Bins part : parts) {
      for (int i = 0; i < part.bins.length; i++) {
        all.merge(part.bins[i], part.counts[i], Bins::sum);
      }
    }
    return new Bins(
        all.keySet().stream().mapToInt(Integer::intValue).toArray(),
        all.values().stream().mapToInt(Integer::intValue).toArray());
  }

  private static int sum(int first, int second) {
    return (int) Math.min(Integer.MAX_VALUE, (long) first + second);
  }

  /** Values in all bins. */
  long n() {
    return count(Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /** Values in bins from one to another, both included. */
  long count(int low, int high) {
    long inside = 0;
    for (int i = 0; i < bins.length; i++) {
      inside += bins[i] >= low && bins[i] <= high ? counts[i] : 0;
    }
    return inside;
  }

  /** The bin that holds the quantile q; at least one value. */
  int at(double q) {
    double wanted = q * n();
    long seen = 0;
    for (int i = 0; i < bins.length; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return bins[i];
      }
    }
    return bins[bins.length - 1];
  }
}
