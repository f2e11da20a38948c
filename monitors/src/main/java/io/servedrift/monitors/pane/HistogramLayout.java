package io.servedrift.monitors.pane;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the bins of a fixed histogram lie. Fixed means: the same for every partition, minute and
 * machine, so that counts add up in any order. Bin b holds the values x with {@code lower(b) < x <=
 * upper(b)}; the first bin has no lower and the last no upper edge. A count of the bins above an
 * edge is therefore the exact count of the values above that edge.
 *
 * <p>Edges come from {@link StrictMath}, so they are the same bits everywhere, and a value is
 * placed by comparing it with the edges themselves, never by a rounded logarithm. Immutable and
 * thread-safe; equal when the ids are equal.
 */
public abstract sealed class HistogramLayout {
  /** Largest magnitude of a value; beyond it a value is a mistake, not a measurement. */
  public static final double LARGEST = 1e15;

  /** Bins for durations in seconds: 10 microseconds to one day, relative accuracy 1 %. */
  public static final HistogramLayout DURATIONS = logarithmic(1e-5, 86_400, 0.01);

  /** Bins for scores without a declared range. */
  public static final HistogramLayout OPEN_SCORES = signedLogarithmic(1e-6, 1e9, 0.01);

  private static final int MOST_BINS = 100_000;
  private static final int MOST_REMEMBERED = 256;
  private static final double DURATION_UNITS = 1e6;
  private static final double SCORE_UNITS = 1e9;

  private final String id;
  private final double unitsPerOne;
  private final double[] edges;

  private HistogramLayout(String id, double unitsPerOne, double[] edges) {
    this.id = id;
    this.unitsPerOne = unitsPerOne;
    this.edges = edges;
  }

  /**
   * Bins of constant ratio, as DDSketch has them: with gamma = (1 + alpha) / (1 - alpha), the edges
   * are the powers of gamma from just below min to just above max, and {@link #midpoint} is within
   * a relative error of alpha of every value of its bin. Example: alpha = 0.01, a value of 100 s
   * shows as 99 to 101 s. Zero, negative and tiny values are in the first bin. Sums are kept in
   * millionths.
   *
   * @param min smallest value of interest, above 0
   * @param max largest, above min, at most 1e15
   * @param alpha relative accuracy, 0.0001 to 0.5
   */
  public static HistogramLayout logarithmic(double min, double max, double alpha) {
    checkLogarithmic(min, max, alpha);
    return new Logarithmic(id("log", min, max, alpha), min, max, alpha);
  }

  /**
   * Bins of equal width over a declared range; both ends belong to it. Sums are kept in billionths.
   *
   * @param low lower end
   * @param high upper end, above low
   * @param bins number of bins in the range, 1 to 100,000
   */
  public static HistogramLayout linear(double low, double high, int bins) {
    if (!(low < high && Math.abs(low) <= LARGEST && Math.abs(high) <= LARGEST)) {
      throw new IllegalArgumentException(
          "linear layout " + low + ".." + high + ": needs low < high, both within -1e15..1e15");
    }
    if (bins < 1 || bins > MOST_BINS) {
      throw new IllegalArgumentException(
          "linear layout bins=" + bins + ": must be between 1 and " + MOST_BINS);
    }
    return new Linear(id("lin", low, high, bins), low, high, bins);
  }

  /**
   * Logarithmic bins on both sides of zero and one bin for all that is nearer to zero than min; for
   * scores whose range nobody declared. Sums are kept in billionths; arguments as for {@link
   * #logarithmic}.
   */
  public static HistogramLayout signedLogarithmic(double min, double max, double alpha) {
    checkLogarithmic(min, max, alpha);
    return new SignedLogarithmic(id("slog", min, max, alpha), min, max, alpha);
  }

  /** Two bins: 0 and 1. Nothing else is accepted. */
  public static HistogramLayout binary() {
    return Binary.INSTANCE;
  }

  /**
   * The layout of an id, the inverse of {@link #id()}.
   *
   * @throws IllegalArgumentException when the id is none
   */
  public static HistogramLayout parse(String id) {
    HistogramLayout known = Remembered.BY_ID.get(id);
    if (known != null) {
      return known;
    }
    HistogramLayout parsed = read(id);
    // Bounded: the ids come from records that others wrote.
    if (Remembered.BY_ID.size() < MOST_REMEMBERED) {
      Remembered.BY_ID.put(id, parsed);
    }
    return parsed;
  }

  private static HistogramLayout read(String id) {
    if (id.equals(Binary.ID)) {
      return binary();
    }
    String[] parts = id.split(":", -1);
    if (parts.length != 4) {
      throw unknown(id, null);
    }
    try {
      double first = Double.parseDouble(parts[1]);
      double second = Double.parseDouble(parts[2]);
      return switch (parts[0]) {
        case "log" -> logarithmic(first, second, Double.parseDouble(parts[3]));
        case "slog" -> signedLogarithmic(first, second, Double.parseDouble(parts[3]));
        case "lin" -> linear(first, second, Integer.parseInt(parts[3]));
        default -> throw unknown(id, null);
      };
    } catch (NumberFormatException e) {
      throw unknown(id, e);
    }
  }

  private static IllegalArgumentException unknown(String id, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "histogram layout '"
            + id
            + "': must be log:MIN:MAX:ALPHA, slog:MIN:MAX:ALPHA, lin:LOW:HIGH:BINS or binary",
        cause);
  }

  /** Name that says everything, for example {@code log:1e-5:86400:0.01}. */
  public final String id() {
    return id;
  }

  /** Number of bins, the outer two included. */
  public int binCount() {
    return edges.length + 1;
  }

  /** Bin of a value, from 0. The value must be {@link #accepts accepted}. */
  public int binOf(double value) {
    requireAccepted(value);
    int found = Arrays.binarySearch(edges, value + 0.0);
    return found >= 0 ? found : -found - 1;
  }

  /** Lower edge of a bin, itself outside; negative infinity for the first. */
  public double lower(int bin) {
    checkBin(bin);
    return bin == 0 ? Double.NEGATIVE_INFINITY : edges[bin - 1];
  }

  /** Upper edge of a bin, itself inside; infinity for the last. */
  public double upper(int bin) {
    checkBin(bin);
    return bin == edges.length ? Double.POSITIVE_INFINITY : edges[bin];
  }

  /** The value that stands for a bin; finite, inside the bin. */
  public double midpoint(int bin) {
    checkBin(bin);
    if (bin == 0) {
      return edges[0];
    }
    return bin == edges.length
        ? Math.nextUp(edges[bin - 1])
        : innerMidpoint(edges[bin - 1], edges[bin]);
  }

  /**
   * Whether a value can be counted: finite and of a magnitude up to {@link #LARGEST}; 0 or 1 if
   * binary.
   */
  public boolean accepts(double value) {
    return Math.abs(value) <= LARGEST;
  }

  /** Whether this is {@link #binary}, the layout of ratios. */
  public boolean isBinary() {
    return false;
  }

  /**
   * Fixed-point unit in which values are summed: 1e-6 for durations, 1e-9 for scores, 1 for 0/1.
   */
  public final double unit() {
    return 1 / unitsPerOne;
  }

  /** Units in one: the exact whole number of which {@link #unit} is the rounded inverse. */
  final double unitsPerOne() {
    return unitsPerOne;
  }

  abstract double innerMidpoint(double lower, double upper);

  final void requireAccepted(double value) {
    if (!accepts(value)) {
      throw new IllegalArgumentException(
          "value " + value + ": must be " + acceptedText() + " for layout " + id);
    }
  }

  String acceptedText() {
    return "finite and within -1e15..1e15";
  }

  final void checkBin(int bin) {
    if (bin < 0 || bin >= binCount()) {
      throw new IllegalArgumentException(
          "bin " + bin + ": must be between 0 and " + (binCount() - 1) + " for layout " + id);
    }
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof HistogramLayout layout && layout.id.equals(id);
  }

  @Override
  public final int hashCode() {
    return id.hashCode();
  }

  @Override
  public final String toString() {
    return id;
  }

  private static void checkLogarithmic(double min, double max, double alpha) {
    if (!(min > 0 && min < max && max <= LARGEST)) {
      throw new IllegalArgumentException(
          "logarithmic layout " + min + ".." + max + ": needs 0 < min < max <= 1e15");
    }
    if (!(alpha >= 0.0001 && alpha <= 0.5)) {
      throw new IllegalArgumentException(
          "logarithmic layout alpha=" + alpha + ": must be between 0.0001 and 0.5");
    }
    double bins = StrictMath.log(max / min) / StrictMath.log(gamma(alpha));
    if (bins > MOST_BINS) {
      throw new IllegalArgumentException(
          "logarithmic layout "
              + min
              + ".."
              + max
              + " alpha="
              + alpha
              + ": needs "
              + (long) bins
              + " bins, at most "
              + MOST_BINS
              + " are allowed");
    }
  }

  private static double gamma(double alpha) {
    return (1 + alpha) / (1 - alpha);
  }

  private static String id(String kind, double first, double second, double third) {
    return kind + ":" + text(first) + ":" + text(second) + ":" + text(third);
  }

  private static String text(double value) {
    String text = Double.toString(value).replace("E", "e").replace(".0e", "e");
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  /** Powers of gamma from the one at or below min to the one at or above max. */
  private static double[] powers(double min, double max, double alpha) {
    double gamma = gamma(alpha);
    double logGamma = StrictMath.log(gamma);
    int first = (int) Math.floor(StrictMath.log(min) / logGamma);
    int last = (int) Math.ceil(StrictMath.log(max) / logGamma);
    double[] powers = new double[last - first + 1];
    for (int i = 0; i < powers.length; i++) {
      powers[i] = StrictMath.pow(gamma, first + i);
    }
    return powers;
  }

  /** Held apart: initialised on first use, after the constants above. */
  private static final class Remembered {
    static final Map<String, HistogramLayout> BY_ID = new ConcurrentHashMap<>();
  }

  private static final class Logarithmic extends HistogramLayout {
    Logarithmic(String id, double min, double max, double alpha) {
      super(id, DURATION_UNITS, powers(min, max, alpha));
    }

    @Override
    double innerMidpoint(double lower, double upper) {
      return harmonic(lower, upper);
    }
  }

  private static final class SignedLogarithmic extends HistogramLayout {
    SignedLogarithmic(String id, double min, double max, double alpha) {
      super(id, SCORE_UNITS, mirrored(powers(min, max, alpha)));
    }

    private static double[] mirrored(double[] positive) {
      double[] edges = new double[2 * positive.length];
      for (int i = 0; i < positive.length; i++) {
        edges[positive.length + i] = positive[i];
        edges[positive.length - 1 - i] = -positive[i];
      }
      return edges;
    }

    @Override
    double innerMidpoint(double lower, double upper) {
      return lower < 0 && upper > 0 ? 0 : harmonic(lower, upper);
    }
  }

  /** The point with the same relative distance to both ends: DDSketch's 2 gamma^i / (gamma + 1). */
  private static double harmonic(double lower, double upper) {
    return 2 * (lower * upper) / (lower + upper);
  }

  private static final class Linear extends HistogramLayout {
    Linear(String id, double low, double high, int bins) {
      super(id, SCORE_UNITS, edges(low, high, bins));
    }

    private static double[] edges(double low, double high, int bins) {
      double[] edges = new double[bins + 1];
      // Just below the end, so that the end itself is inside the range.
      edges[0] = Math.nextDown(low);
      for (int i = 1; i < bins; i++) {
        edges[i] = low + (high - low) * i / bins;
      }
      edges[bins] = high;
      for (int i = 1; i <= bins; i++) {
        if (!(edges[i - 1] < edges[i])) {
          throw new IllegalArgumentException(
              "linear layout " + low + ".." + high + " bins=" + bins + ": bins are too narrow");
        }
      }
      return edges;
    }

    @Override
    double innerMidpoint(double lower, double upper) {
      return lower + (upper - lower) / 2;
    }
  }

  private static final class Binary extends HistogramLayout {
    static final String ID = "binary";
    static final HistogramLayout INSTANCE = new Binary();

    Binary() {
      super(ID, 1, new double[] {0});
    }

    @Override
    public boolean isBinary() {
      return true;
    }

    @Override
    public boolean accepts(double value) {
      return value == 0 || value == 1;
    }

    @Override
    String acceptedText() {
      return "0 or 1";
    }

    @Override
    public double lower(int bin) {
      return midpoint(bin);
    }

    @Override
    public double upper(int bin) {
      return midpoint(bin);
    }

    @Override
    public double midpoint(int bin) {
      checkBin(bin);
      return bin;
    }

    @Override
    double innerMidpoint(double lower, double upper) {
      throw new IllegalStateException("a binary layout has no inner bins");
    }
  }
}
