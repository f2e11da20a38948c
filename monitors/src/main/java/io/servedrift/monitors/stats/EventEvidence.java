package io.servedrift.monitors.stats;

/**
 * What it says that a serving event was, or was not, seen near the onset of a shift, weighed by how
 * often such events come anyway: p0 = 1 - exp(-rate window); ln BF = ln(p / p0) when seen, ln((1 -
 * p) / (1 - p0)) when not, p = probability of seeing it if it were the cause. Six a day and a
 * window of 35 minutes: 1.5 nats; one a week: 5.
 *
 * @param baseProbability p0: probability of one or more by chance
 * @param present ln BF, in nats, when one was seen
 * @param absent ln BF, in nats, when none was seen
 */
public record EventEvidence(double baseProbability, double present, double absent) {
  /** Not every event is logged: absence never weighs more than this, in nats. */
  private static final double LEAST = -0.5;

  /**
   * From the rate of the event type.
   *
   * @param ratePerDay r_e, above 0
   * @param windowMinutes length of the window searched, above 0
   * @param probabilityIfCause p, inside (0, 1)
   */
  public static EventEvidence of(
      double ratePerDay, double windowMinutes, double probabilityIfCause) {
    Arguments.requireAbove("ratePerDay", ratePerDay, 0);
    Arguments.requireAbove("windowMinutes", windowMinutes, 0);
    Arguments.requireInside("probabilityIfCause", probabilityIfCause);
    double expected = ratePerDay * windowMinutes / (24 * 60);
    double base = -StrictMath.expm1(-expected);
    return new EventEvidence(
        base,
        StrictMath.log(probabilityIfCause / base),
        StrictMath.log1p(-probabilityIfCause) + expected);
  }

  /** The evidence in nats; that of absence is at least -0.5. */
  public double nats(boolean seen) {
    return seen ? present : Math.max(LEAST, absent);
  }
}
