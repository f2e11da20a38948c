package io.servedrift.monitors.attribution;

import java.util.List;
import java.util.function.IntToDoubleFunction;

/** Counts and sums of a reference or of a window, by traffic class and block of time. Immutable. */
final class ClassSums {
  final double[] n;
  final double[] s;
  final double[] blockN;
  final double[] blockS;
  final double requests;
  final double sum;
  private final double[][] byBlock;
  private final int classes;

  /**
   * Sums up.
   *
   * @param column of the table that holds the sums; the first one holds the counts
   * @param classes number of keys
   */
  ClassSums(BlockTable table, int column, int classes) {
    this.classes = classes;
    List<Integer> blocks = table.blocks();
    n = new double[classes];
    s = new double[classes];
    blockN = new double[blocks.size()];
    blockS = new double[blocks.size()];
    byBlock = new double[blocks.size()][2 * classes];
    double[] total = new double[2];
    for (int b = 0; b < blocks.size(); b++) {
      int at = b;
      table.each(
          blocks.get(b),
          blocks.get(b) + 1,
          (key, row) -> {
            add(at, key, row[0], row[column]);
            total[0] += row[0];
            total[1] += row[column];
          });
    }
    requests = total[0];
    sum = total[1];
  }

  private void add(int block, int key, double count, double value) {
    byBlock[block][key] += count;
    byBlock[block][classes + key] += value;
    n[key] += count;
    s[key] += value;
    blockN[block] += count;
    blockS[block] += value;
  }

  double n(int key, int block) {
    return byBlock[block][key];
  }

  double s(int key, int block) {
    return byBlock[block][classes + key];
  }

  /** Variance of a ratio to the number of requests, from the residuals of its blocks. */
  double variance(IntToDoubleFunction residual) {
    int blocks = blockN.length;
    if (blocks < 2) {
      return Double.POSITIVE_INFINITY;
    }
    double squares = 0;
    for (int b = 0; b < blocks; b++) {
      double r = residual.applyAsDouble(b);
      squares += r * r;
    }
    return squares * blocks / (blocks - 1) / (requests * requests);
  }
}
