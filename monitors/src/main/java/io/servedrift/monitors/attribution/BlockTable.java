package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.Content;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sparse rows of numbers by block of time and key: in each row a count and some sums. Immutable.
 */
final class BlockTable {
  private static final int KEY_BITS = 32;

  private final int columns;

  /** Block and key of each row, ascending. */
  private final long[] at;

  /** Row by row: a week of them has to stay in memory for every family. */
  private final double[] values;

  private BlockTable(int columns, long[] at, double[] values) {
    this.columns = columns;
    this.at = at;
    this.values = values;
  }

  /** Takes rows. */
  interface RowSink {
    /** A row; the array is used again for the next one. */
    void row(int key, double[] values);
  }

  int size() {
    return at.length;
  }

  /** Gives the rows of some blocks, by block and key. */
  void each(int fromBlock, int toBlock, RowSink sink) {
    double[] row = new double[columns];
    for (int i = first(fromBlock); i < at.length && block(i) < toBlock; i++) {
      System.arraycopy(values, i * columns, row, 0, columns);
      sink.row(key(i), row);
    }
  }

  private int first(int block) {
    int found = Arrays.binarySearch(at, (long) block << KEY_BITS);
    return found < 0 ? -found - 1 : found;
  }

  private int block(int row) {
    return (int) (at[row] >>> KEY_BITS);
  }

  private int key(int row) {
    return (int) at[row];
  }

  /** Blocks that hold something, ascending. */
  List<Integer> blocks() {
    List<Integer> blocks = new ArrayList<>();
    for (int i = 0; i < at.length; i++) {
      if (i == 0 || block(i) != block(i - 1)) {
        blocks.add(block(i));
      }
    }
    return blocks;
  }

  /** The same in blocks that are longer by a factor. */
  BlockTable coarser(int factor) {
    Builder builder = new Builder(columns);
    for (int i = 0; i < at.length; i++) {
      double[] row = builder.row(block(i) / factor, key(i));
      for (int column = 0; column < columns; column++) {
        row[column] += values[i * columns + column];
      }
    }
    return builder.build();
  }

  /**
   * Writes.
   *
   * @param whole whether all columns are counts, which take four bytes
   */
  void write(Content.Writer out, boolean whole) {
    out.count(columns);
    out.count(at.length);
    for (int i = 0; i < at.length; i++) {
      out.whole(at[i]);
      for (int column = 0; column < columns; column++) {
        double value = values[i * columns + column];
        if (whole || column == 0) {
          out.count((int) value);
        } else {
          out.number(value);
        }
      }
    }
  }

  static BlockTable read(Content.Reader in, boolean whole) {
    Builder builder = new Builder(in.count());
    for (int left = in.count(); left > 0; left--) {
      long place = in.whole();
      double[] row = builder.row((int) (place >>> KEY_BITS), (int) place);
      for (int column = 0; column < row.length; column++) {
        row[column] = whole || column == 0 ? in.count() : in.number();
      }
    }
    return builder.build();
  }

  /** Fills a table. The order of additions is the caller's and must be defined. */
  static final class Builder {
    private static final int MOST_COLUMNS = 64;

    private final int columns;
    private final TreeMap<Long, double[]> rows = new TreeMap<>();

    Builder(int columns) {
      if (columns < 1 || columns > MOST_COLUMNS) {
        throw new IllegalArgumentException("columns=" + columns + ": must be 1 to " + MOST_COLUMNS);
      }
      this.columns = columns;
    }

    /** The row to add to. */
    double[] row(int block, int key) {
      long place = ((long) block << KEY_BITS) | key;
      return rows.computeIfAbsent(place, k -> new double[columns]);
    }

    BlockTable build() {
      long[] at = new long[rows.size()];
      double[] values = new double[rows.size() * columns];
      int i = 0;
      for (Map.Entry<Long, double[]> row : rows.entrySet()) {
        at[i] = row.getKey();
        System.arraycopy(row.getValue(), 0, values, i * columns, columns);
        i++;
      }
      return new BlockTable(columns, at, values);
    }
  }
}
