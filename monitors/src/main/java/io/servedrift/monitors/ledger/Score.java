package io.servedrift.monitors.ledger;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One number that a harness gave. What is null was not said.
 *
 * @param name of the evaluation, for example {@code geneval}
 * @param metric of it, for example {@code overall}
 * @param value in the unit of the metric, finite
 * @param n number of samples
 * @param standardError of the value, same unit
 * @param higherIsBetter which direction is the better one
 * @param dataset {@code name@version}
 * @param datasetDigest of the samples, with the name of the algorithm
 * @param settings of the harness that move the value; empty when none was said
 */
public record Score(
    String name,
    String metric,
    double value,
    @Nullable Long n,
    @Nullable Double standardError,
    @Nullable Boolean higherIsBetter,
    @Nullable String dataset,
    @Nullable String datasetDigest,
    Map<String, String> settings) {
  /** Copies the settings. */
  public Score {
    settings = Map.copyOf(settings);
  }
}
