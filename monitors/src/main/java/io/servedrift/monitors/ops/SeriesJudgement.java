package io.servedrift.monitors.ops;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a series is compared with and how it stands, as far as it is exported. Durations in seconds,
 * ratios 0..1, scores in their own unit; null means not known, never 0.
 *
 * @param baselineMean mean of the baseline
 * @param baselineP99 p99 of the baseline
 * @param meanThreshold mean from which on a lasting shift for the worse counts
 * @param p99Threshold p99 from which on a lasting shift for the worse counts
 */
public record SeriesJudgement(
    Verdict verdict,
    @Nullable Double baselineMean,
    @Nullable Double baselineP99,
    @Nullable Double meanThreshold,
    @Nullable Double p99Threshold) {

  /** How a series stands. */
  public enum Verdict {
    /** Compared with a baseline, and no finding for the worse is open. */
    PASS,
    /** A finding for the worse is open. */
    DRIFT,
    /** No baseline yet, or too few values in the latest window: neither pass nor drift. */
    INSUFFICIENT;

    /** Word in the label {@code verdict}. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
