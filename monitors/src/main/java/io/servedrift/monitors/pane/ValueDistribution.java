package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.Distribution;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A multiset of values as counts, exact sums, extremes and, while there are few, the sorted values
 * themselves.
 *
 * <p>The form depends on the multiset alone, never on how it was cut into parts or in which order
 * the parts were merged: with up to {@link #VALUE_LIMIT} values it carries them and no bins, with
 * more it carries bins and no values. So equal traffic gives equal objects and equal bytes, live or
 * replayed. (Parts made with {@link Detail#BINS} never carry values, and neither does what they are
 * merged into.)
 *
 * <p>Sums are whole numbers of the layout's {@link HistogramLayout#unit}; each value is rounded to
 * the nearest unit once, then nothing is lost. Immutable and thread-safe.
 */
public final class ValueDistribution {
  /** Up to this many values are carried themselves. */
  public static final int VALUE_LIMIT = 512;

  /** What a new distribution may carry. */
  public enum Detail {
    /** Sorted values up to {@link #VALUE_LIMIT}, bins beyond: for the total of a series. */
    VALUES,
    /** Bins only: for cells, of which there are many. */
    BINS
  }

  /**
   * Where the order statistic of a rank lies for certain; both limits included.
   *
   * @param lower not above it
   * @param upper not below it; equal to lower when the value itself is known
   */
  public record RankBounds(double lower, double upper) {
    /** The value in the bounds that is nearest to an estimate. */
    public double clamp(double estimate) {
      return Math.min(upper, Math.max(lower, estimate));
    }
  }

  private static final double[] NO_VALUES = {};

  private final HistogramLayout layout;
  private final long n;
  private final BigInteger sumUnits;
  private final BigInteger sumSquares;
  private final double min;
  private final double max;
  private final double @Nullable [] values;
  private final BinCounts binned;

  private ValueDistribution(
      HistogramLayout layout,
      long n,
      BigInteger sumUnits,
      BigInteger sumSquares,
      double min,
      double max,
      double @Nullable [] values,
      BinCounts binned) {
    this.layout = layout;
    this.n = n;
    this.sumUnits = sumUnits;
    this.sumSquares = sumSquares;
    this.min = min;
    this.max = max;
    this.values = values;
    this.binned = binned;
  }

  /** The distribution of nothing; neutral in a merge. */
  public static ValueDistribution empty(HistogramLayout layout) {
    return of(layout, NO_VALUES);
  }

  /** As {@link #of(HistogramLayout, double[], Detail)} with {@link Detail#VALUES}. */
  public static ValueDistribution of(HistogramLayout layout, double[] values) {
    return of(layout, values, Detail.VALUES);
  }

  /**
   * The distribution of the given values, in any order; the array is copied.
   *
   * @throws IllegalArgumentException when the layout does not {@link HistogramLayout#accepts
   *     accept} a value
   */
  public static ValueDistribution of(HistogramLayout layout, double[] values, Detail detail) {
    int n = values.length;
    double[] sorted = new double[n];
    ExactSums sums = new ExactSums(layout.unitsPerOne());
    for (int i = 0; i < n; i++) {
      layout.requireAccepted(values[i]);
      // One zero only: -0.0 sorts apart and would make equal sets unequal.
      sorted[i] = values[i] + 0.0;
      sums.add(sorted[i]);
    }
    Arrays.sort(sorted);
    double min = n == 0 ? Double.NaN : sorted[0];
    double max = n == 0 ? Double.NaN : sorted[n - 1];
    boolean carried = n == 0 || (n <= VALUE_LIMIT && detail == Detail.VALUES);
    return new ValueDistribution(
        layout,
        n,
        sums.sum(),
        sums.sumSquares(),
        min,
        max,
        carried ? sorted : null,
        carried ? BinCounts.NONE : BinCounts.ofSorted(layout, sorted));
  }

  /**
   * A distribution that carries bins only, from what {@link #bins}, {@link #counts}, the sums and
   * the extremes of one said.
   *
   * @param bins ascending, at least one
   * @param counts as many, each at least 1
   * @param min smallest value, not above max
   * @throws IllegalArgumentException when the parts contradict each other
   */
  public static ValueDistribution ofBins(
      HistogramLayout layout,
      int[] bins,
      long[] counts,
      BigInteger sumUnits,
      BigInteger sumSquares,
      double min,
      double max) {
    if (bins.length == 0 || bins.length != counts.length) {
      throw new IllegalArgumentException(
          "bins=" + bins.length + ", counts=" + counts.length + ": must be as many, at least one");
    }
    if (!(layout.accepts(min) && layout.accepts(max) && min <= max)) {
      throw new IllegalArgumentException(
          "min=" + min + ", max=" + max + ": must ascend and fit layout " + layout);
    }
    long n = 0;
    for (int i = 0; i < bins.length; i++) {
      layout.checkBin(bins[i]);
      if (counts[i] < 1 || (i > 0 && bins[i] <= bins[i - 1])) {
        throw new IllegalArgumentException(
            "bin " + bins[i] + ", count " + counts[i] + ": must ascend with positive counts");
      }
      n = Math.addExact(n, counts[i]);
    }
    return new ValueDistribution(
        layout,
        n,
        sumUnits,
        sumSquares,
        min,
        max,
        null,
        new BinCounts(bins.clone(), counts.clone()));
  }

  /**
   * The union of the parts; the order does not matter.
   *
   * @param parts at least one, all of the same layout
   */
  public static ValueDistribution merge(List<ValueDistribution> parts) {
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("merge of no distributions: needs at least one");
    }
    HistogramLayout layout = parts.get(0).layout;
    for (ValueDistribution part : parts) {
      if (!part.layout.equals(layout)) {
        throw new IllegalArgumentException(
            "merge of layouts " + layout + " and " + part.layout + ": must be the same");
      }
    }
    List<ValueDistribution> filled = parts.stream().filter(part -> part.n > 0).toList();
    if (filled.size() <= 1) {
      return filled.isEmpty() ? parts.get(0) : filled.get(0);
    }
    long n = 0;
    BigInteger sum = BigInteger.ZERO;
    BigInteger squares = BigInteger.ZERO;
    double min = Double.POSITIVE_INFINITY;
    double max = Double.NEGATIVE_INFINITY;
    boolean carried = true;
    for (ValueDistribution part : filled) {
      n = Math.addExact(n, part.n);
      sum = sum.add(part.sumUnits);
      squares = squares.add(part.sumSquares);
      min = Math.min(min, part.min);
      max = Math.max(max, part.max);
      carried &= part.values != null;
    }
    carried &= n <= VALUE_LIMIT;
    return new ValueDistribution(
        layout,
        n,
        sum,
        squares,
        min,
        max,
        carried ? union(filled, (int) n) : null,
        carried
            ? BinCounts.NONE
            : BinCounts.merge(layout, filled.stream().map(ValueDistribution::counted).toList()));
  }

  private static double[] union(List<ValueDistribution> parts, int n) {
    double[] all = new double[n];
    int used = 0;
    for (ValueDistribution part : parts) {
      double[] some = Objects.requireNonNull(part.values);
      System.arraycopy(some, 0, all, used, some.length);
      used += some.length;
    }
    Arrays.sort(all);
    return all;
  }

  /** The bins, carried or not. */
  private BinCounts counted() {
    return values == null ? binned : BinCounts.ofSorted(layout, values);
  }

  /** Where the bins lie and which unit the sums have. */
  public HistogramLayout layout() {
    return layout;
  }

  /** Number of values. */
  public long n() {
    return n;
  }

  /** Exact sum in units of the layout. */
  public BigInteger sumUnits() {
    return sumUnits;
  }

  /** Exact sum of the squared values in squared units. */
  public BigInteger sumSquares() {
    return sumSquares;
  }

  /** Smallest value; NaN when empty. */
  public double min() {
    return min;
  }

  /** Largest value; NaN when empty. */
  public double max() {
    return max;
  }

  /** Mean, correctly rounded from the exact sum; NaN when empty. */
  public double mean() {
    if (n == 0) {
      return Double.NaN;
    }
    BigDecimal divisor = BigDecimal.valueOf(n).multiply(new BigDecimal(layout.unitsPerOne()));
    return new BigDecimal(sumUnits).divide(divisor, MathContext.DECIMAL64).doubleValue();
  }

  /** Variance with divisor n - 1, from the exact sums; NaN below two values. */
  public double variance() {
    if (n < 2) {
      return Double.NaN;
    }
    BigInteger count = BigInteger.valueOf(n);
    BigInteger spread = count.multiply(sumSquares).subtract(sumUnits.multiply(sumUnits));
    BigDecimal units = new BigDecimal(layout.unitsPerOne());
    BigDecimal divisor =
        new BigDecimal(count.multiply(count.subtract(BigInteger.ONE))).multiply(units.pow(2));
    return new BigDecimal(spread).divide(divisor, MathContext.DECIMAL64).doubleValue();
  }

  /** All values, ascending, or null when bins stand for them. A copy. */
  public double @Nullable [] values() {
    return values == null ? null : values.clone();
  }

  /** Occupied bins, ascending; also when {@link #values} are carried. A copy. */
  public int[] bins() {
    return counted().bins().clone();
  }

  /** Count of each of the {@link #bins}. A copy. */
  public long[] counts() {
    return counted().counts().clone();
  }

  /**
   * Where the order statistic of a rank lies: the value itself if values are carried, else the
   * edges of its bin, tightened by {@link #min} and {@link #max}.
   *
   * @param rank 1 (smallest) to n
   */
  public RankBounds rankBin(long rank) {
    if (rank < 1 || rank > n) {
      throw new IllegalArgumentException("rank " + rank + ": must be between 1 and n=" + n);
    }
    if (values != null) {
      double value = values[(int) rank - 1];
      return new RankBounds(value, value);
    }
    if (rank == 1) {
      return new RankBounds(min, min);
    }
    if (rank == n) {
      return new RankBounds(max, max);
    }
    long seen = 0;
    int at = 0;
    while (seen + binned.counts()[at] < rank) {
      seen += binned.counts()[at++];
    }
    int bin = binned.bins()[at];
    return new RankBounds(Math.max(min, layout.lower(bin)), Math.min(max, layout.upper(bin)));
  }

  /** Record form; equal distributions give equal bytes. */
  public Distribution toAvro() {
    return Distribution.newBuilder()
        .setN(n)
        .setSumUnits(ByteBuffer.wrap(sumUnits.toByteArray()))
        .setSumSquares(ByteBuffer.wrap(sumSquares.toByteArray()))
        .setMin(n == 0 ? null : min)
        .setMax(n == 0 ? null : max)
        .setValues(values == null ? null : listOf(values))
        .setLayout(layout.id())
        .setBins(listOf(binned.bins()))
        .setCounts(listOf(binned.counts()))
        .build();
  }

  /**
   * Reads {@link #toAvro}.
   *
   * @throws IllegalArgumentException when the record contradicts itself
   */
  public static ValueDistribution fromAvro(Distribution record) {
    HistogramLayout layout = HistogramLayout.parse(record.getLayout());
    if (record.getN() == 0) {
      return empty(layout);
    }
    if (record.getMin() == null || record.getMax() == null) {
      throw broken(record, "min and max are missing");
    }
    if (!(layout.accepts(record.getMin())
        && layout.accepts(record.getMax())
        && record.getMin() <= record.getMax())) {
      throw broken(record, "min=" + record.getMin() + " max=" + record.getMax());
    }
    BigInteger sum = integer(record.getSumUnits());
    BigInteger squares = integer(record.getSumSquares());
    if (record.getValues() != null) {
      return fromValues(layout, record, sum);
    }
    int[] bins = record.getBins().stream().mapToInt(Integer::intValue).toArray();
    long[] counts = record.getCounts().stream().mapToLong(Long::longValue).toArray();
    long total = 0;
    for (int i = 0; i < counts.length && i < bins.length; i++) {
      layout.checkBin(bins[i]);
      if (counts[i] < 1 || (i > 0 && bins[i] <= bins[i - 1])) {
        throw broken(record, "bins are not ascending with positive counts");
      }
      total = Math.addExact(total, counts[i]);
    }
    if (bins.length != counts.length || total != record.getN()) {
      throw broken(record, "the counts do not add up to n");
    }
    return new ValueDistribution(
        layout,
        total,
        sum,
        squares,
        record.getMin(),
        record.getMax(),
        null,
        new BinCounts(bins, counts));
  }

  private static ValueDistribution fromValues(
      HistogramLayout layout, Distribution record, BigInteger sum) {
    double[] values = record.getValues().stream().mapToDouble(Double::doubleValue).toArray();
    ValueDistribution read = of(layout, values);
    if (read.n != record.getN() || read.values == null || !read.sumUnits.equals(sum)) {
      throw broken(record, "the values do not add up to n and sum_units");
    }
    return read;
  }

  private static IllegalArgumentException broken(Distribution record, String why) {
    return new IllegalArgumentException(
        "distribution n=" + record.getN() + " layout=" + record.getLayout() + ": " + why);
  }

  private static BigInteger integer(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return new BigInteger(bytes);
  }

  private static List<Double> listOf(double[] items) {
    List<Double> list = new ArrayList<>(items.length);
    for (double item : items) {
      list.add(item);
    }
    return list;
  }

  private static List<Integer> listOf(int[] items) {
    List<Integer> list = new ArrayList<>(items.length);
    for (int item : items) {
      list.add(item);
    }
    return list;
  }

  private static List<Long> listOf(long[] items) {
    List<Long> list = new ArrayList<>(items.length);
    for (long item : items) {
      list.add(item);
    }
    return list;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ValueDistribution that
        && layout.equals(that.layout)
        && n == that.n
        && sumUnits.equals(that.sumUnits)
        && sumSquares.equals(that.sumSquares)
        && Double.compare(min, that.min) == 0
        && Double.compare(max, that.max) == 0
        && Arrays.equals(values, that.values)
        && binned.equals(that.binned);
  }

  @Override
  public int hashCode() {
    return Objects.hash(layout, n, sumUnits, sumSquares, min, max);
  }

  @Override
  public String toString() {
    return "ValueDistribution[" + layout + ", n=" + n + ", min=" + min + ", max=" + max + "]";
  }
}
