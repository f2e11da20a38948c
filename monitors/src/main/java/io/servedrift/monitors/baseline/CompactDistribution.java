package io.servedrift.monitors.baseline;

import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ValueDistribution} as few bytes as its content allows, without loss: bins, counts, exact
 * sums and extremes. Extremes and sums are written as what is missing to what the bins already say;
 * of one or two values the extremes say all. One codec per layout; immutable and thread-safe.
 *
 * <p>An extreme is a whole number of units and what remains of the double: nothing for a decimal in
 * units (a latency in microseconds), nothing for a float (a score), else the distance in units of
 * the last place.
 */
final class CompactDistribution {
  private static final int EXACT_LIMIT = 53;
  private static final long DECIMAL = 0;
  private static final long FLOAT = 1;
  private static final long OTHER = 2;

  private final HistogramLayout layout;
  private final double unitsPerOne;

  CompactDistribution(HistogramLayout layout) {
    this.layout = layout;
    unitsPerOne = Math.rint(1 / layout.unit());
  }

  /** Writes a distribution with at least one value. */
  void write(CompactBytes.Sink out, ValueDistribution values) {
    int[] bins = values.bins();
    long[] counts = values.counts();
    boolean compact = isCompact(values);
    out.unsigned(2L * bins.length + (compact ? 0 : 1));
    int before = 0;
    for (int i = 0; i < bins.length; i++) {
      out.unsigned(2L * (bins[i] - before) + (counts[i] > 1 ? 1 : 0));
      if (counts[i] > 1) {
        out.unsigned(counts[i] - 2);
      }
      before = bins[i];
    }
    if (!compact) {
      out.fixed(values.min());
      out.fixed(values.max());
      out.block(values.sumUnits().toByteArray());
      out.block(values.sumSquares().toByteArray());
      return;
    }
    writeExtreme(out, bins[0], values.min());
    if (values.n() > 1) {
      writeExtreme(out, bins[bins.length - 1], values.max());
    }
    if (values.n() > 2) {
      Prediction guess = new Prediction(bins, counts, values.n());
      long sum = values.sumUnits().longValueExact() - guess.sum;
      out.signed(sum);
      out.signed(values.sumSquares().subtract(guess.squares(sum)).longValueExact());
    }
  }

  /** Reads what {@link #write} wrote. */
  ValueDistribution read(CompactBytes.Source in) {
    int head = in.small();
    int[] bins = new int[head >> 1];
    long[] counts = new long[bins.length];
    long n = 0;
    int before = 0;
    for (int i = 0; i < bins.length; i++) {
      int packed = in.small();
      before += packed >> 1;
      bins[i] = before;
      counts[i] = (packed & 1) == 0 ? 1 : in.unsigned() + 2;
      n += counts[i];
    }
    if ((head & 1) == 1) {
      double min = in.fixed();
      double max = in.fixed();
      BigInteger sum = new BigInteger(in.block());
      return ValueDistribution.ofBins(
          layout, bins, counts, sum, new BigInteger(in.block()), min, max);
    }
    double min = readExtreme(in, bins[0]);
    double max = n > 1 ? readExtreme(in, bins[bins.length - 1]) : min;
    BigInteger sum = n > 1 ? integer(units(min)).add(integer(units(max))) : integer(units(min));
    BigInteger squares = n > 1 ? square(units(min)).add(square(units(max))) : square(units(min));
    if (n > 2) {
      Prediction guess = new Prediction(bins, counts, n);
      long off = in.signed();
      sum = BigInteger.valueOf(guess.sum + off);
      squares = guess.squares(off).add(BigInteger.valueOf(in.signed()));
    }
    return ValueDistribution.ofBins(layout, bins, counts, sum, squares, min, max);
  }

  /** Writes the extremes of a distribution whose rest follows from elsewhere. */
  void writeExtremes(CompactBytes.Sink out, ValueDistribution values) {
    out.fixed(values.min());
    out.fixed(values.max());
  }

  /** Reads what {@link #writeExtremes} wrote: smallest and largest. */
  double[] readExtremes(CompactBytes.Source in) {
    return new double[] {in.fixed(), in.fixed()};
  }

  /** What parts leave of a total; null when they are not parts of it, or leave nothing. */
  @Nullable ValueDistribution rest(
      ValueDistribution total, List<ValueDistribution> parts, double min, double max) {
    BigInteger sum = total.sumUnits();
    BigInteger squares = total.sumSquares();
    int[] bins = total.bins();
    long[] counts = total.counts();
    for (ValueDistribution part : parts) {
      sum = sum.subtract(part.sumUnits());
      squares = squares.subtract(part.sumSquares());
      int[] partBins = part.bins();
      long[] partCounts = part.counts();
      for (int i = 0; i < partBins.length; i++) {
        int at = Arrays.binarySearch(bins, partBins[i]);
        if (at < 0 || counts[at] < partCounts[i]) {
          return null;
        }
        counts[at] -= partCounts[i];
      }
    }
    int left = 0;
    for (int i = 0; i < bins.length; i++) {
      if (counts[i] > 0) {
        bins[left] = bins[i];
        counts[left++] = counts[i];
      }
    }
    return left == 0
        ? null
        : ValueDistribution.ofBins(
            layout, Arrays.copyOf(bins, left), Arrays.copyOf(counts, left), sum, squares, min, max);
  }

  /** Whether two distributions say the same in bins, sums and extremes. */
  static boolean same(ValueDistribution one, ValueDistribution other) {
    return one.n() == other.n()
        && one.sumUnits().equals(other.sumUnits())
        && one.sumSquares().equals(other.sumSquares())
        && one.min() == other.min()
        && one.max() == other.max()
        && Arrays.equals(one.bins(), other.bins())
        && Arrays.equals(one.counts(), other.counts());
  }

  /** Whether every number involved is exact in a double and every difference fits a long. */
  private boolean isCompact(ValueDistribution values) {
    double largest = Math.max(Math.abs(values.min()), Math.abs(values.max()));
    return largest * unitsPerOne * values.n() < 0x1p50
        && inside(values, values.bins())
        && values.sumSquares().bitLength() < 2 * EXACT_LIMIT
        && difference(values) < Long.SIZE - 2;
  }

  /** The midpoints of outer bins may lie far from anything seen. */
  private boolean inside(ValueDistribution values, int[] bins) {
    double first = Math.abs(layout.midpoint(bins[0]));
    double last = Math.abs(layout.midpoint(bins[bins.length - 1]));
    return Math.max(first, last) * unitsPerOne * values.n() < 0x1p50;
  }

  /** Bits of what the squares differ from their prediction. */
  private int difference(ValueDistribution values) {
    Prediction guess = new Prediction(values.bins(), values.counts(), values.n());
    long sum = values.sumUnits().longValueExact() - guess.sum;
    return values.sumSquares().subtract(guess.squares(sum)).bitLength();
  }

  private double units(double value) {
    return Math.rint(value * unitsPerOne);
  }

  private static BigInteger integer(double whole) {
    return BigInteger.valueOf((long) whole);
  }

  private static BigInteger square(double whole) {
    return integer(whole).multiply(integer(whole));
  }

  private void writeExtreme(CompactBytes.Sink out, int bin, double value) {
    double whole = units(value);
    out.signed((long) (whole - units(layout.midpoint(bin))));
    double decimal = whole / unitsPerOne;
    if (value == decimal) {
      out.unsigned(DECIMAL);
    } else if (value == (float) decimal) {
      out.unsigned(FLOAT);
    } else {
      long distance = Double.doubleToLongBits(value) - Double.doubleToLongBits(decimal);
      out.unsigned(OTHER);
      out.signed(distance);
    }
  }

  private double readExtreme(CompactBytes.Source in, int bin) {
    double decimal = (units(layout.midpoint(bin)) + in.signed()) / unitsPerOne;
    long form = in.unsigned();
    if (form == DECIMAL) {
      return decimal;
    }
    return form == FLOAT
        ? (float) decimal
        : Double.longBitsToDouble(Double.doubleToLongBits(decimal) + in.signed());
  }

  /** What bins alone say about the sums, in units. */
  private final class Prediction {
    final long sum;
    private final double squares;
    private final long n;

    Prediction(int[] bins, long[] counts, long n) {
      double total = 0;
      double totalSquares = 0;
      for (int i = 0; i < bins.length; i++) {
        double middle = units(layout.midpoint(bins[i]));
        total += counts[i] * middle;
        totalSquares += counts[i] * middle * middle;
      }
      sum = (long) total;
      squares = totalSquares;
      this.n = n;
    }

    /** Sum of squares if all values are off their midpoints alike. */
    BigInteger squares(long sumOff) {
      double off = sumOff;
      double guess = Math.rint(squares + off * (2.0 * sum + off) / n);
      return new BigDecimal(guess).toBigInteger();
    }
  }
}
