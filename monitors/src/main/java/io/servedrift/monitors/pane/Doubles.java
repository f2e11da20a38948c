package io.servedrift.monitors.pane;

import java.util.Arrays;

/** A growing column of doubles. Not thread-safe. */
final class Doubles {
  private double[] values = new double[8];
  private int size;

  void add(double value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  double[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
