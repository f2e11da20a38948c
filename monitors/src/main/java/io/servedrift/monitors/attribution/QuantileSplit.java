package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MinimumSampleSize;

/**
 * How much of the move of the p99 is traffic mix, in seconds. Of too few requests nothing is known
 * but their number. Immutable.
 *
 * @param reference p99 of the reference
 * @param mixed p99 that the reference would have with the window's traffic classes
 * @param current p99 of the window
 * @param byMix 95 % interval of {@code mixed - reference}; an end beyond what was seen is infinite
 * @param alike 95 % interval of {@code current - mixed}, likewise
 * @param referenceRequests requests of the reference
 * @param requests requests of the window
 */
public record QuantileSplit(
    double reference,
    double mixed,
    double current,
    Interval byMix,
    Interval alike,
    long referenceRequests,
    long requests) {
  /** Which quantile. */
  public static final double QUANTILE = .99;

  /** Requests of the window: with fewer the nearest rank of its p99 is the largest value. */
  public static final long NEEDED = 100;

  /** Requests of the reference: with fewer its p99 has no two-sided interval. */
  public static final long NEEDED_OF_REFERENCE = MinimumSampleSize.twoSided(QUANTILE, .95);

  /** Of too few requests. */
  static QuantileSplit insufficient(long referenceRequests, long requests) {
    Interval none = new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
    return new QuantileSplit(
        Double.NaN, Double.NaN, Double.NaN, none, none, referenceRequests, requests);
  }

  /** Whether there are enough requests to say anything. */
  public boolean sufficient() {
    return sufficient(referenceRequests, requests);
  }

  static boolean sufficient(long referenceRequests, long requests) {
    return referenceRequests >= NEEDED_OF_REFERENCE && requests >= NEEDED;
  }

  /** {@code p99 89.2 to 121 s: +3.1 s (1..5) by traffic mix, ...}. */
  public String text() {
    return "p99 "
        + Wording.number(reference)
        + " to "
        + Wording.number(current)
        + " s: "
        + part(mixed - reference, byMix)
        + " by traffic mix, "
        + part(current - mixed, alike)
        + " in requests of the same kind";
  }

  private static String part(double value, Interval interval) {
    String range =
        Double.isFinite(interval.upper() - interval.lower())
            ? Wording.interval(interval)
            : "(at least " + Wording.number(interval.lower()) + ")";
    return Wording.signed(value) + " s " + range;
  }
}
