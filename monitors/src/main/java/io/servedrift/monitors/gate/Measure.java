package io.servedrift.monitors.gate;

import org.jspecify.annotations.Nullable;

/**
 * One number with its interval and margin. What is null is not known or does not exist.
 *
 * @param name what is measured, e.g. {@code clip: mean difference}
 * @param of the arms or the stratum it is about
 * @param value point estimate
 * @param low lower limit
 * @param high upper limit
 * @param level confidence level of [low, high], two-sided; .9 belongs to one-sided tests at .05
 * @param n pairs, answers or requests behind it
 * @param margin what it is held against
 * @param unit e.g. {@code ratio}, {@code share}, {@code score}, {@code s}
 * @param state what it says
 * @param needed n that would decide, when it is insufficient and that can be said
 * @param test how interval and state were made, e.g. {@code paired t}
 */
public record Measure(
    String name,
    String of,
    @Nullable Double value,
    @Nullable Double low,
    @Nullable Double high,
    double level,
    long n,
    @Nullable Double margin,
    String unit,
    MeasureState state,
    @Nullable Long needed,
    String test) {

  /** The same measure with the n that would decide. */
  Measure needing(long n) {
    return new Measure(name, of, value, low, high, level, this.n, margin, unit, state, n, test);
  }

  /** The same measure, saying something else. */
  Measure as(MeasureState other, String how) {
    return new Measure(name, of, value, low, high, level, n, margin, unit, other, null, how);
  }
}
