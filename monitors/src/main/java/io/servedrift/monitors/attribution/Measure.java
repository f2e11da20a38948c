package io.servedrift.monitors.attribution;

import java.util.OptionalDouble;

/**
 * What kind of number moved, and which part of it is to be explained. Immutable.
 *
 * @param rate whether it is a share of requests (exceedance of a threshold, failures), not a mean
 * @param load how load that acts through the serving layer is named
 * @param scope whether traffic itself is a possible answer
 * @param direction sign of the alarm, -1 or 1; 0: that of the difference
 * @param effectPriorSd standard deviation of the prior of an effect, in the unit of the metric;
 *     empty: half a standard deviation of the metric, .03 for a rate
 * @param smallestEffect differences below it are not explained, in the unit of the metric, 0 or
 *     more
 * @param unevenness how unevenly a cause moves its requests, relative to the size of the move: a
 *     cell's shift beyond what a cause moves all its cells by is no evidence for another cause; 0
 *     for causes that move all alike
 */
public record Measure(
    boolean rate,
    LoadRule load,
    Scope scope,
    int direction,
    OptionalDouble effectPriorSd,
    double smallestEffect,
    double unevenness) {

  /** How load that acts through cache, batch or preemption is named. */
  public enum LoadRule {
    /** As load, its mediators listed: a latency that a higher load explains. */
    AS_LOAD,
    /** As cache, batching or scheduling, load contributing: users get worse output. */
    AS_MEDIATOR
  }

  /** Which difference is explained. */
  public enum Scope {
    /** All of it: a marginal series, traffic included. */
    MARGINAL,
    /** What remains like for like: an alarm of observed minus expected, traffic set aside. */
    ADJUSTED
  }

  /** Checks the numbers. */
  public Measure {
    if (direction < -1 || direction > 1) {
      throw new IllegalArgumentException("direction=" + direction + ": must be -1, 0 or 1");
    }
    if (!(smallestEffect >= 0)) {
      throw new IllegalArgumentException(
          "smallestEffect=" + smallestEffect + ": must not be negative");
    }
    if (!(unevenness >= 0)) {
      throw new IllegalArgumentException("unevenness=" + unevenness + ": must not be negative");
    }
    if (effectPriorSd.isPresent() && !(effectPriorSd.getAsDouble() > 0)) {
      throw new IllegalArgumentException(
          "effectPriorSd=" + effectPriorSd.getAsDouble() + ": must be positive");
    }
  }

  /** Mean of a latency or its logarithm, all of the difference. */
  public static Measure latencyMean() {
    return new Measure(false, LoadRule.AS_LOAD, Scope.MARGINAL, 0, OptionalDouble.empty(), 0, 0);
  }

  /** Share of requests above a latency threshold, all of the difference. */
  public static Measure latencyExceedance() {
    return new Measure(true, LoadRule.AS_LOAD, Scope.MARGINAL, 0, OptionalDouble.empty(), 0, 0);
  }

  /** Mean of a score, all of the difference. */
  public static Measure scoreMean() {
    return new Measure(
        false, LoadRule.AS_MEDIATOR, Scope.MARGINAL, 0, OptionalDouble.empty(), 0, 0);
  }

  /** Share of failed requests or of low scores, all of the difference. */
  public static Measure failureRate() {
    return new Measure(true, LoadRule.AS_MEDIATOR, Scope.MARGINAL, 0, OptionalDouble.empty(), 0, 0);
  }

  /** The same, for an alarm of observed minus expected in a direction. */
  public Measure adjusted(int alarmDirection) {
    return new Measure(
        rate, load, Scope.ADJUSTED, alarmDirection, effectPriorSd, smallestEffect, unevenness);
  }

  /** The same with a direction of the alarm. */
  public Measure toward(int alarmDirection) {
    return new Measure(
        rate, load, scope, alarmDirection, effectPriorSd, smallestEffect, unevenness);
  }

  /** The same with another prior of effects. */
  public Measure withEffectPriorSd(double sd) {
    return new Measure(
        rate, load, scope, direction, OptionalDouble.of(sd), smallestEffect, unevenness);
  }

  /** The same with a smallest effect. */
  public Measure withSmallestEffect(double effect) {
    return new Measure(rate, load, scope, direction, effectPriorSd, effect, unevenness);
  }

  /** The same for a cause that moves its requests unevenly. */
  public Measure withUnevenness(double relative) {
    return new Measure(rate, load, scope, direction, effectPriorSd, smallestEffect, relative);
  }
}
