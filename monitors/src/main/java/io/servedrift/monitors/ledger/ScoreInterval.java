package io.servedrift.monitors.ledger;

import io.servedrift.schemas.avro.EvalResult;

/**
 * The 95 % interval of a score, by the normal distribution of a mean. It needs a standard error
 * above 0 and enough samples for the normal distribution to hold: a handful of samples that all
 * agree has the standard error 0 and says little.
 *
 * @param low lower end, NaN when not known
 * @param high upper end
 * @param missing what is missing; empty when the interval is known
 */
public record ScoreInterval(double low, double high, String missing) {
  /** The least number of samples. */
  public static final int LEAST_SAMPLES = 30;

  private static final double Z95 = 1.959963984540054;

  /** The interval of a record. */
  public static ScoreInterval of(EvalResult result) {
    String missing = missing(result);
    Double error = result.getStderr();
    if (!missing.isEmpty() || error == null) {
      return new ScoreInterval(Double.NaN, Double.NaN, missing);
    }
    double half = Z95 * error;
    return new ScoreInterval(result.getValue() - half, result.getValue() + half, "");
  }

  private static String missing(EvalResult result) {
    Double error = result.getStderr();
    Long n = result.getN();
    if (error == null) {
      return "no standard error";
    }
    if (!(error > 0)) {
      return "standard error 0";
    }
    if (n == null) {
      return "n not known";
    }
    return n < LEAST_SAMPLES ? "n below " + LEAST_SAMPLES : "";
  }

  /** Whether it is known. */
  public boolean isKnown() {
    return missing.isEmpty();
  }
}
