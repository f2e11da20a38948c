package io.servedrift.monitors.pane;

import java.util.Arrays;
import java.util.List;

/**
 * Occupied bins, ascending, and their counts. The arrays are never written once made and never
 * leave the package.
 *
 * <p>Most cells hold a handful of values, so few bins are handled by sorting them; a dense array of
 * the whole layout would cost more than the cell.
 */
final class BinCounts {
  static final BinCounts NONE = new BinCounts(new int[0], new long[0]);

  /** Above this share of the layout, one dense array is cheaper than sorting. */
  private static final int DENSE_FROM_SHARE = 8;

  private final int[] bins;
  private final long[] counts;

  BinCounts(int[] bins, long[] counts) {
    this.bins = bins;
    this.counts = counts;
  }

  int[] bins() {
    return bins;
  }

  long[] counts() {
    return counts;
  }

  /** Counts of values in ascending order. */
  static BinCounts ofSorted(HistogramLayout layout, double[] sorted) {
    int[] bins = new int[Math.min(sorted.length, layout.binCount())];
    long[] counts = new long[bins.length];
    int used = 0;
    double upper = Double.NEGATIVE_INFINITY;
    for (double value : sorted) {
      if (used == 0 || value > upper) {
        bins[used++] = layout.binOf(value);
        upper = layout.upper(bins[used - 1]);
      }
      counts[used - 1]++;
    }
    return trimmed(bins, counts, used);
  }

  /** Sum of the parts, all of one layout. */
  static BinCounts merge(HistogramLayout layout, List<BinCounts> parts) {
    if (parts.size() == 1) {
      return parts.get(0);
    }
    long entries = parts.stream().mapToLong(part -> part.bins.length).sum();
    return entries * DENSE_FROM_SHARE < layout.binCount()
        ? sparse(parts, (int) entries)
        : dense(parts, layout.binCount());
  }

  private static BinCounts sparse(List<BinCounts> parts, int entries) {
    int[] bins = new int[entries];
    int used = 0;
    for (BinCounts part : parts) {
      System.arraycopy(part.bins, 0, bins, used, part.bins.length);
      used += part.bins.length;
    }
    Arrays.sort(bins);
    int distinct = 0;
    for (int i = 0; i < entries; i++) {
      if (i == 0 || bins[i] != bins[distinct - 1]) {
        bins[distinct++] = bins[i];
      }
    }
    long[] counts = new long[distinct];
    for (BinCounts part : parts) {
      for (int i = 0; i < part.bins.length; i++) {
        counts[Arrays.binarySearch(bins, 0, distinct, part.bins[i])] += part.counts[i];
      }
    }
    return trimmed(bins, counts, distinct);
  }

  private static BinCounts dense(List<BinCounts> parts, int binCount) {
    long[] all = new long[binCount];
    for (BinCounts part : parts) {
      for (int i = 0; i < part.bins.length; i++) {
        all[part.bins[i]] += part.counts[i];
      }
    }
    int[] bins = new int[binCount];
    long[] counts = new long[binCount];
    int used = 0;
    for (int bin = 0; bin < binCount; bin++) {
      if (all[bin] > 0) {
        bins[used] = bin;
        counts[used++] = all[bin];
      }
    }
    return trimmed(bins, counts, used);
  }

  private static BinCounts trimmed(int[] bins, long[] counts, int used) {
    return new BinCounts(Arrays.copyOf(bins, used), Arrays.copyOf(counts, used));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BinCounts that
        && Arrays.equals(bins, that.bins)
        && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(bins) + Arrays.hashCode(counts);
  }
}
