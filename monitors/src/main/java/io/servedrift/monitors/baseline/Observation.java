package io.servedrift.monitors.baseline;

/**
 * What a track saw when it was last complete.
 *
 * @param observed means: residual mean of the stratum, or difference of the two sides; counts: the
 *     count; shares: the count of the subject
 * @param expected means: 0; counts: the expected count; shares: the expected share
 * @param size means: sampling variance of {@code observed}; counts: number of values; shares: count
 *     of both sides together
 */
public record Observation(double observed, double expected, double size) {}
