package io.servedrift.monitors.gate;

import org.jspecify.annotations.Nullable;

/**
 * A combination of batch size, cache outcome and concurrency. {@code unknown} is a value like any
 * other: what live traffic does not say cannot be covered.
 *
 * @param batch {@code 1}, {@code 2-3}, {@code 4-7}, {@code 8-15}, {@code 16+} or {@code unknown}
 * @param cache {@code hit}, {@code miss} or {@code unknown}
 * @param concurrency buckets as for the batch
 */
public record RegimeCell(String batch, String cache, String concurrency) {
  private static final String UNKNOWN = "unknown";

  /** The cell of one request; null is not known. */
  public static RegimeCell of(
      @Nullable Double batch, @Nullable Boolean hit, @Nullable Integer inFlight) {
    return new RegimeCell(
        batch == null ? UNKNOWN : bucket(batch),
        hit == null ? UNKNOWN : hit ? "hit" : "miss",
        inFlight == null ? UNKNOWN : bucket(inFlight));
  }

  private static String bucket(double size) {
    if (!(size >= 1)) {
      return UNKNOWN;
    }
    if (size < 2) {
      return "1";
    }
    if (size < 4) {
      return "2-3";
    }
    if (size < 8) {
      return "4-7";
    }
    return size < 16 ? "8-15" : "16+";
  }
}
