package io.servedrift.monitors.ops;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The latest closed window of one series, as far as it is exported. Durations in seconds, scores in
 * their own unit; null means not known (too few values), never 0.
 *
 * @param metric {@code latency}, {@code queue}, {@code stage:<name>}, {@code error_ratio} or a
 *     score's name
 * @param window length of the window, e.g. {@code 5m}
 * @param end end of the window, event time
 * @param n values in the window
 * @param judgement what the series is compared with; null where this instance does not judge it
 */
public record SeriesSample(
    String deployment,
    String modelId,
    String configId,
    String metric,
    String window,
    Instant end,
    long n,
    @Nullable Double p50,
    @Nullable Double p99,
    @Nullable Double p99Lower,
    @Nullable Double p99Upper,
    @Nullable Double mean,
    @Nullable Double meanLower,
    @Nullable Double meanUpper,
    @Nullable SeriesJudgement judgement) {

  /** The same window with what its series is compared with. */
  public SeriesSample judged(@Nullable SeriesJudgement by) {
    return new SeriesSample(
        deployment,
        modelId,
        configId,
        metric,
        window,
        end,
        n,
        p50,
        p99,
        p99Lower,
        p99Upper,
        mean,
        meanLower,
        meanUpper,
        by);
  }
}
