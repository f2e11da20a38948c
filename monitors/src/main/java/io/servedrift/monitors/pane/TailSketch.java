package io.servedrift.monitors.pane;

import com.tdunning.math.stats.MergingDigest;
import com.tdunning.math.stats.ScaleFunction;
import io.servedrift.monitors.stats.NearestRank;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A t-digest (Dunning &amp; Ertl 2019; scale function K2, compression 200) that is a function of
 * what it was made from and not of an order: all centroids are sorted by (mean, weight) and
 * compressed in one forward pass. Smallest and largest value stay centroids of weight 1, so they
 * are exact.
 *
 * <p>A sketch estimates and gives no guarantee; {@link WindowStatistics} clamps its answers into a
 * histogram bin that has one. A merge is a function of its parts, but merging sketches of sketches
 * gives another (equally good) sketch than merging all parts at once: whoever must repeat a result
 * merges along the same tree.
 *
 * <p>Immutable and thread-safe; this is the only class that knows the t-digest library. Scale
 * function and interpolation are the library's; the compression pass is here, as the library
 * alternates its direction from one pass to the next, passes again on reading, and counts weights
 * in ints.
 */
public final class TailSketch {
  private static final ScaleFunction SCALE = ScaleFunction.K_2;
  private static final double COMPRESSION = 200;

  /** What the library allocates for this compression: it cannot read more centroids. */
  static final int MOST_CENTROIDS = 2 * (int) COMPRESSION + 10;

  private static final byte VERSION = 1;
  private static final int LIBRARY_VERBOSE = 1;
  private static final int HEADER_BYTES = Byte.BYTES + Integer.BYTES;
  private static final int CENTROID_BYTES = Double.BYTES + Long.BYTES;
  private static final TailSketch EMPTY = new TailSketch(new Centroid[0]);

  private record Centroid(double mean, long weight) implements Comparable<Centroid> {
    @Override
    public int compareTo(Centroid other) {
      int byMean = Double.compare(mean, other.mean);
      return byMean != 0 ? byMean : Long.compare(weight, other.weight);
    }
  }

  private final Centroid[] centroids;
  private final long n;

  private TailSketch(Centroid[] centroids) {
    this.centroids = centroids;
    this.n = Arrays.stream(centroids).mapToLong(Centroid::weight).reduce(0, Math::addExact);
  }

  /** The sketch of nothing; neutral in a merge. */
  public static TailSketch empty() {
    return EMPTY;
  }

  /**
   * The sketch of a distribution: of its values, or of the midpoints of its bins and both extremes.
   */
  public static TailSketch of(ValueDistribution distribution) {
    double[] values = distribution.values();
    if (values == null) {
      return compress(fromBins(distribution));
    }
    Centroid[] singles = new Centroid[values.length];
    for (int i = 0; i < values.length; i++) {
      singles[i] = new Centroid(values[i], 1);
    }
    return compress(singles);
  }

  private static Centroid[] fromBins(ValueDistribution distribution) {
    HistogramLayout layout = distribution.layout();
    int[] bins = distribution.bins();
    long[] counts = distribution.counts();
    double min = distribution.min();
    double max = distribution.max();
    Centroid[] centroids = new Centroid[bins.length + 2];
    int used = 0;
    centroids[used++] = new Centroid(min, 1);
    counts[0]--;
    if (distribution.n() > 1) {
      centroids[used++] = new Centroid(max, 1);
      counts[counts.length - 1]--;
    }
    for (int i = 0; i < bins.length; i++) {
      if (counts[i] > 0) {
        double middle = Math.min(max, Math.max(min, layout.midpoint(bins[i])));
        centroids[used++] = new Centroid(middle, counts[i]);
      }
    }
    return Arrays.copyOf(centroids, used);
  }

  /** The sketch of all parts together, in one pass; the order of the parts does not matter. */
  public static TailSketch merge(List<TailSketch> parts) {
    List<TailSketch> filled = parts.stream().filter(part -> part.n > 0).toList();
    if (filled.size() == 1) {
      return filled.get(0);
    }
    return compress(
        filled.stream().flatMap(part -> Arrays.stream(part.centroids)).toArray(Centroid[]::new));
  }

  private static TailSketch compress(Centroid[] input) {
    if (input.length == 0) {
      return EMPTY;
    }
    Arrays.sort(input);
    double total =
        (double) Arrays.stream(input).mapToLong(Centroid::weight).reduce(0, Math::addExact);
    double normalizer = SCALE.normalizer(COMPRESSION, total);
    Centroid[] output = new Centroid[input.length];
    int used = 0;
    double before = 0;
    double mean = input[0].mean;
    long weight = input[0].weight;
    for (int i = 1; i < input.length; i++) {
      Centroid next = input[i];
      long proposed = weight + next.weight;
      // The extremes stand alone: the tails are what is asked for.
      boolean inside = i > 1 && i < input.length - 1;
      if (inside
          && proposed <= total * largestShare(before, (double) proposed, total, normalizer)) {
        weight = proposed;
        mean += (next.mean - mean) * next.weight / weight;
      } else {
        output[used++] = new Centroid(mean, weight);
        before += weight;
        mean = next.mean;
        weight = next.weight;
      }
    }
    output[used++] = new Centroid(mean, weight);
    return new TailSketch(Arrays.copyOf(output, used));
  }

  private static double largestShare(
      double before, double weight, double total, double normalizer) {
    return Math.min(
        SCALE.max(before / total, normalizer), SCALE.max((before + weight) / total, normalizer));
  }

  /** Number of values. */
  public long n() {
    return n;
  }

  /**
   * Estimate of the nearest-rank quantile; NaN when empty.
   *
   * @param q 0 to 1
   */
  public double quantile(double q) {
    return n == 0 ? Double.NaN : atRanks(NearestRank.of(q, n))[0];
  }

  /**
   * Estimates of the order statistics of the given ranks (1 to n). Asking for several at once is
   * cheaper.
   *
   * @throws IllegalArgumentException when a rank does not exist
   */
  public double[] atRanks(long... ranks) {
    for (long rank : ranks) {
      if (rank < 1 || rank > n) {
        throw new IllegalArgumentException("rank " + rank + ": must be between 1 and n=" + n);
      }
    }
    // A fresh one for each call: the library writes when it reads.
    MergingDigest digest = MergingDigest.fromBytes(libraryForm());
    double[] estimates = new double[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      // A centroid of weight 1 covers [rank - 1, rank]; its middle gives the value itself.
      estimates[i] = digest.quantile((ranks[i] - 0.5) / n);
    }
    return estimates;
  }

  private ByteBuffer libraryForm() {
    ByteBuffer buffer =
        ByteBuffer.allocate(
            2 * Integer.BYTES + 3 * Double.BYTES + centroids.length * 2 * Double.BYTES);
    buffer.putInt(LIBRARY_VERBOSE);
    buffer.putDouble(centroids[0].mean);
    buffer.putDouble(centroids[centroids.length - 1].mean);
    buffer.putDouble(COMPRESSION);
    buffer.putInt(centroids.length);
    for (Centroid centroid : centroids) {
      buffer.putDouble((double) centroid.weight);
      buffer.putDouble(centroid.mean);
    }
    return buffer.flip();
  }

  /**
   * Verbose form: a version byte, the number of centroids (int), mean (double) and weight (long) of
   * each.
   */
  public byte[] toBytes() {
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + centroids.length * CENTROID_BYTES);
    buffer.put(VERSION).putInt(centroids.length);
    for (Centroid centroid : centroids) {
      buffer.putDouble(centroid.mean).putLong(centroid.weight);
    }
    return buffer.array();
  }

  /**
   * Reads {@link #toBytes} from a buffer, whose position stays.
   *
   * @throws IllegalArgumentException when the bytes are no sketch
   */
  public static TailSketch fromBytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return fromBytes(bytes);
  }

  /**
   * Reads {@link #toBytes}.
   *
   * @throws IllegalArgumentException when the bytes are no sketch
   */
  public static TailSketch fromBytes(byte[] bytes) {
    if (bytes.length < HEADER_BYTES || bytes[0] != VERSION) {
      throw new IllegalArgumentException(
          "tail sketch of " + bytes.length + " bytes: must start with version " + VERSION);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, Byte.BYTES, bytes.length - Byte.BYTES);
    int count = buffer.getInt();
    if (count < 0
        || count > MOST_CENTROIDS
        || bytes.length != HEADER_BYTES + count * CENTROID_BYTES) {
      throw new IllegalArgumentException(
          "tail sketch of "
              + bytes.length
              + " bytes: count="
              + count
              + ", must be 0 to "
              + MOST_CENTROIDS
              + " and fill the bytes");
    }
    Centroid[] centroids = new Centroid[count];
    for (int i = 0; i < count; i++) {
      centroids[i] = new Centroid(buffer.getDouble(), buffer.getLong());
      if (!Double.isFinite(centroids[i].mean)
          || centroids[i].weight < 1
          || (i > 0 && centroids[i].mean < centroids[i - 1].mean)) {
        throw new IllegalArgumentException(
            "tail sketch centroid " + i + ": must be finite, of positive weight and ascending");
      }
    }
    return count == 0 ? EMPTY : new TailSketch(centroids);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TailSketch that && Arrays.equals(centroids, that.centroids);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(centroids);
  }

  @Override
  public String toString() {
    return "TailSketch[n=" + n + ", centroids=" + centroids.length + "]";
  }
}
