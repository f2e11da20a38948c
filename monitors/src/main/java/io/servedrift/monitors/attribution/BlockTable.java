package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sparse rows of numbers by block of time and key: in each row a count and some sums. Immutable.
 */
final class BlockTable {
  private static final int KEY_BITS = 32;

  private final int columns;
  private final TreeMap<Long, double[]> rows;

  private BlockTable(int columns, TreeMap<Long, double[]> rows) {
    this.columns = columns;
    this.rows = rows;
  }

  /** Takes rows. */
  interface RowSink {
    void row(int key, double[] values);
  }

  int size() {
    return rows.size();
  }

  /** Gives the rows of some blocks, by block and key; the arrays are not to be changed. */
  void each(int fromBlock, int toBlock, RowSink sink) {
    rows.subMap((long) fromBlock << KEY_BITS, (long) toBlock << KEY_BITS)
        .forEach((at, values) -> sink.row((int) (long) at, values));
  }

  /** The same in blocks that are longer by a factor. */
  BlockTable coarser(int factor) {
    Builder builder = new Builder(columns);
    rows.forEach(
        (at, values) -> {
          double[] row = builder.row((int) (at >>> KEY_BITS) / factor, (int) (long) at);
          for (int i = 0; i < columns; i++) {
            row[i] += values[i];
          }
        });
    return builder.build();
  }

  /** Writes; counts and, where all columns are whole, sums take four bytes. */
  void write(Content.Writer out, boolean whole) {
    out.count(columns);
    out.count(rows.size());
    for (Map.Entry<Long, double[]> row : rows.entrySet()) {
      out.whole(row.getKey());
      double[] values = row.getValue();
      out.count((int) values[0]);
      for (int i = 1; i < columns; i++) {
        if (whole) {
          out.count((int) values[i]);
        } else {
          out.number(values[i]);
        }
      }
    }
  }

  static BlockTable read(Content.Reader in, boolean whole) {
    Builder builder = new Builder(in.count());
    for (int left = in.count(); left > 0; left--) {
      long at = in.whole();
      double[] values = builder.row((int) (at >>> KEY_BITS), (int) at);
      values[0] = in.count();
      for (int i = 1; i < values.length; i++) {
        values[i] = whole ? in.count() : in.number();
      }
    }
    return builder.build();
  }

  /** Fills a table. The order of additions is the caller's and must be defined. */
  static final class Builder {
    private final int columns;
    private final TreeMap<Long, double[]> rows = new TreeMap<>();

    Builder(int columns) {
      if (columns < 1 || columns > 64) {
        throw new IllegalArgumentException("columns=" + columns + ": must be 1 to 64");
      }
      this.columns = columns;
    }

    /** The row to add to. */
    double[] row(int block, int key) {
      long at = ((long) block << KEY_BITS) | key;
      return rows.computeIfAbsent(at, k -> new double[columns]);
    }

    BlockTable build() {
      return new BlockTable(columns, new TreeMap<>(rows));
    }
  }

  /** Blocks that hold something, ascending. */
  List<Integer> blocks() {
    List<Integer> blocks = new ArrayList<>();
    for (long at : rows.keySet()) {
      int block = (int) (at >>> KEY_BITS);
      if (blocks.isEmpty() || blocks.get(blocks.size() - 1) != block) {
        blocks.add(block);
      }
    }
    return blocks;
  }
}
