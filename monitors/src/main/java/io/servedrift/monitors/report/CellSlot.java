package io.servedrift.monitors.report;

import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.stats.Moments;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One series over a stretch of time: moments by bucket of each covariate and by pair of cache and
 * batch buckets, and the histogram of all values. Sums only: slots merge, in their order. Treated
 * as immutable.
 *
 * @param fromMicros start of the first pane in it
 * @param toMicros end of the last pane in it, exclusive
 * @param total moments of all values
 * @param buckets moments by {@code covariate=bucket}
 * @param pairs moments by cache and batch
 * @param bins counts by histogram bin
 * @param pairBins the same by cache and batch
 */
record CellSlot(
    long fromMicros,
    long toMicros,
    Moments total,
    SortedMap<String, Moments> buckets,
    SortedMap<Pair, Moments> pairs,
    Bins bins,
    SortedMap<Pair, Bins> pairBins) {

  private static final String CACHE = "cache=";
  private static final String BATCH = "batch=";

  /** The joint cells beyond the budget of a pane: no bucket of anything. */
  private static final String REST = "cell=";

  /** A cell of the heat map, by the names of its buckets. */
  record Pair(String cache, String batch) implements Comparable<Pair> {
    private static final Comparator<Pair> ORDER =
        Comparator.comparing(Pair::cache).thenComparing(Pair::batch);

    @Override
    public int compareTo(Pair other) {
      return ORDER.compare(this, other);
    }
  }

  /** One series of a pane. */
  static CellSlot of(MergedPane pane, MergedPane.Series series) {
    SortedMap<String, Moments> buckets = new TreeMap<>();
    SortedMap<Pair, Moments> pairs = new TreeMap<>();
    SortedMap<Pair, List<Bins>> pairBins = new TreeMap<>();
    for (Map.Entry<List<String>, ValueDistribution> cell : series.cells().entrySet()) {
      Moments moments = moments(cell.getValue());
      String cache = null;
      String batch = null;
      for (String bucket : cell.getKey()) {
        if (!bucket.startsWith(REST)) {
          buckets.merge(bucket, moments, Moments::merge);
        }
        cache = after(CACHE, bucket, cache);
        batch = after(BATCH, bucket, batch);
      }
      if (cache != null && batch != null) {
        Pair pair = new Pair(cache, batch);
        pairs.merge(pair, moments, Moments::merge);
        pairBins.computeIfAbsent(pair, any -> new ArrayList<>()).add(Bins.of(cell.getValue()));
      }
    }
    return new CellSlot(
        pane.startMicros(),
        pane.endMicros(),
        moments(series.total()),
        buckets,
        pairs,
        Bins.of(series.total()),
        merged(pairBins));
  }

  private static SortedMap<Pair, Bins> merged(SortedMap<Pair, List<Bins>> parts) {
    SortedMap<Pair, Bins> merged = new TreeMap<>();
    parts.forEach((pair, some) -> merged.put(pair, Bins.merge(some)));
    return merged;
  }

  private static @Nullable String after(String name, String bucket, @Nullable String otherwise) {
    return bucket.startsWith(name) ? bucket.substring(name.length()) : otherwise;
  }

  private static Moments moments(ValueDistribution values) {
    long n = values.n();
    if (n == 0) {
      return Moments.NONE;
    }
    return new Moments(n, values.mean(), n < 2 ? 0 : values.variance() * (n - 1));
  }

  /** All of some slots together, in their order. At least one. */
  static CellSlot merge(List<CellSlot> slots) {
    long from = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    Moments total = Moments.NONE;
    SortedMap<String, Moments> buckets = new TreeMap<>();
    SortedMap<Pair, Moments> pairs = new TreeMap<>();
    List<Bins> bins = new ArrayList<>();
    SortedMap<Pair, List<Bins>> pairBins = new TreeMap<>();
    for (CellSlot slot : slots) {
      from = Math.min(from, slot.fromMicros);
      to = Math.max(to, slot.toMicros);
      total = total.merge(slot.total);
      slot.buckets.forEach((bucket, moments) -> buckets.merge(bucket, moments, Moments::merge));
      slot.pairs.forEach((pair, moments) -> pairs.merge(pair, moments, Moments::merge));
      bins.add(slot.bins);
      slot.pairBins.forEach(
          (pair, own) -> pairBins.computeIfAbsent(pair, any -> new ArrayList<>()).add(own));
    }
    return new CellSlot(from, to, total, buckets, pairs, Bins.merge(bins), merged(pairBins));
  }
}
