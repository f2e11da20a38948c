package io.servedrift.monitors.stats;

/**
 * A closed interval, in the unit of what it is about.
 *
 * @param lower lower limit, may be negative infinity
 * @param upper upper limit, may be infinity; not below the lower one
 */
public record Interval(double lower, double upper) {
  /** Checks the order of the limits. */
  public Interval {
    if (!(lower <= upper)) {
      throw new IllegalArgumentException(
          "interval " + lower + ".." + upper + ": lower must not be above upper");
    }
  }

  /** Whether the value lies inside, limits included. */
  public boolean contains(double value) {
    return lower <= value && value <= upper;
  }
}
