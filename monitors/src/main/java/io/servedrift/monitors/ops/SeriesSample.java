package io.servedrift.monitors.ops;

import org.jspecify.annotations.Nullable;

/**
 * The latest closed window of one series, as far as it is exported. Durations in seconds, scores in
 * their own unit; null means not known (too few values), never 0.
 *
 * @param metric {@code latency}, {@code queue}, {@code stage:<name>}, {@code error_ratio} or a
 *     score's name
 * @param window length of the window, e.g. {@code 5m}
 * @param n values in the window
 */
public record SeriesSample(
    String deployment,
    String modelId,
    String configId,
    String metric,
    String window,
    long n,
    @Nullable Double p50,
    @Nullable Double p99,
    @Nullable Double p99Lower,
    @Nullable Double p99Upper,
    @Nullable Double mean,
    @Nullable Double meanLower,
    @Nullable Double meanUpper) {}
