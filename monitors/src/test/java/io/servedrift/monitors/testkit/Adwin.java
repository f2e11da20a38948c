package io.servedrift.monitors.testkit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * ADWIN with an exponential histogram: keeps a window of the stream and drops its older part while
 * two parts of it differ in mean by more than chance explains. Bifet and Gavalda, "Learning from
 * time-changing data with adaptive windowing", SDM 2007, with the normal bound of their section 4.1
 * and the usual constants of stream libraries; like river's, it starts afresh after a detection. A
 * peer to compare with. Not thread-safe.
 */
final class Adwin implements StreamDetector {
  private static final int CLOCK = 32;
  private static final int BUCKETS_PER_ROW = 5;
  private static final int LEAST_PART = 5;
  private static final int GRACE = 10;

  private final double delta;

  /** Row r holds buckets of 2^r values, oldest first. */
  private final List<ArrayDeque<Bucket>> rows = new ArrayList<>();

  private long width;
  private double total;
  private double variance;
  private long seen;
  private boolean detected;

  /** Sum of the values and sum of their squared deviations from their own mean. */
  private record Bucket(double sum, double deviations) {}

  /**
   * @param delta confidence of one cut, in (0, 1); 0.002 is the usual default
   */
  Adwin(double delta) {
    this.delta = delta;
  }

  /** Number of values in the window. */
  long width() {
    return width;
  }

  /** Mean of the values in the window. */
  double mean() {
    return width == 0 ? 0 : total / width;
  }

  @Override
  public boolean update(double value) {
    if (detected) {
      rows.clear();
      width = 0;
      total = 0;
      variance = 0;
      seen = 0;
    }
    seen++;
    insert(value);
    detected = seen % CLOCK == 0 && width > GRACE && cut();
    return detected;
  }

  private void insert(double value) {
    if (width > 0) {
      double off = value - total / width;
      variance += width * off * off / (width + 1);
    }
    width++;
    total += value;
    row(0).addLast(new Bucket(value, 0));
    for (int r = 0; r < rows.size() && rows.get(r).size() > BUCKETS_PER_ROW; r++) {
      Bucket older = rows.get(r).removeFirst();
      Bucket newer = rows.get(r).removeFirst();
      double half = 1L << r;
      double off = (older.sum - newer.sum) / half;
      row(r + 1)
          .addLast(
              new Bucket(
                  older.sum + newer.sum,
                  older.deviations + newer.deviations + off * off * half / 2));
    }
  }

  private ArrayDeque<Bucket> row(int r) {
    while (rows.size() <= r) {
      rows.add(new ArrayDeque<>());
    }
    return rows.get(r);
  }

  private boolean cut() {
    boolean changed = false;
    while (hasCut()) {
      changed = true;
      dropOldest();
    }
    return changed;
  }

  /** Whether some split of the window, at the end of a bucket, tells two means. */
  private boolean hasCut() {
    double olderN = 0;
    double olderSum = 0;
    double bound = StrictMath.log(2 * StrictMath.log((double) width) / delta);
    double spread = 2 * bound * variance / width;
    for (int r = rows.size() - 1; r >= 0; r--) {
      for (Bucket bucket : rows.get(r)) {
        olderN += 1L << r;
        olderSum += bucket.sum;
        double newerN = width - olderN;
        if (olderN < LEAST_PART || newerN < LEAST_PART) {
          continue;
        }
        double reciprocal = 1 / (olderN - LEAST_PART + 1) + 1 / (newerN - LEAST_PART + 1);
        double epsilon = Math.sqrt(spread * reciprocal) + 2.0 / 3.0 * bound * reciprocal;
        if (Math.abs(olderSum / olderN - (total - olderSum) / newerN) > epsilon) {
          return true;
        }
      }
    }
    return false;
  }

  private void dropOldest() {
    int r = rows.size() - 1;
    while (rows.get(r).isEmpty()) {
      r--;
    }
    Bucket oldest = rows.get(r).removeFirst();
    double n = 1L << r;
    width -= 1L << r;
    total -= oldest.sum;
    double off = oldest.sum / n - total / width;
    variance -= oldest.deviations + n * width * off * off / (n + width);
  }
}
