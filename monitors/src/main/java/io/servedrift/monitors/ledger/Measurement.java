package io.servedrift.monitors.ledger;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a result file says. What is null was not said.
 *
 * @param scores in the order of the file
 * @param harness the program that measured
 * @param version of it
 * @param from start of the measurement
 * @param to end of it
 * @param skipped numbers that are no score, each with the reason
 */
public record Measurement(
    List<Score> scores,
    @Nullable String harness,
    @Nullable String version,
    @Nullable Instant from,
    @Nullable Instant to,
    List<String> skipped) {
  /** Copies the lists. */
  public Measurement {
    scores = List.copyOf(scores);
    skipped = List.copyOf(skipped);
  }

  /** The same without the time that the file says. */
  public Measurement withoutTime() {
    return new Measurement(scores, harness, version, null, null, skipped);
  }
}
