package io.servedrift.monitors.stats;

/** Checks of arguments, with texts that name the argument, its value and what is allowed. */
final class Arguments {
  private Arguments() {}

  static void requireProbability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + "=" + value + ": must be between 0 and 1");
    }
  }

  static void requireInside(String name, double value) {
    if (!(value > 0 && value < 1)) {
      throw new IllegalArgumentException(
          name + "=" + value + ": must lie between 0 and 1, both excluded");
    }
  }

  static void requireAtLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + "=" + value + ": must be at least " + least);
    }
  }

  static void requireCount(String name, long count, long n) {
    if (count < 0 || count > n) {
      throw new IllegalArgumentException(name + "=" + count + ": must be between 0 and n=" + n);
    }
  }

  static void requireAtLeast(String name, double value, double least) {
    if (!(value >= least && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          name + "=" + value + ": must be finite and at least " + least);
    }
  }

  static void requireAbove(String name, double value, double bound) {
    if (!(value > bound && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          name + "=" + value + ": must be finite and above " + bound);
    }
  }

  static void requireFinite(String name, double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException(name + "=" + value + ": must be finite");
    }
  }

  static void requireSameLength(String name, int length, String other, int otherLength) {
    if (length != otherLength) {
      throw new IllegalArgumentException(
          name
              + " has "
              + length
              + " entries: must be as many as in "
              + other
              + ", "
              + otherLength);
    }
  }
}
