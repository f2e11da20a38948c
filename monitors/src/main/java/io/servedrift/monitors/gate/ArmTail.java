package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import org.jspecify.annotations.Nullable;

/**
 * Latencies of an arm, in seconds. A request without a good answer took longer than any; quantiles
 * that fall on one, and those that n does not bear, are null.
 *
 * @param arm which
 * @param load level of the open loop, else null
 * @param asked all requests that ended
 * @param errors errors and timeouts among them
 * @param n good answers
 * @param p50 median
 * @param p90 90th percentile
 * @param p99 99th percentile
 * @param p99Interval 95 % interval of p99; a limit that does not exist is infinite
 * @param max longest of the good answers
 */
public record ArmTail(
    Arm arm,
    @Nullable Double load,
    long asked,
    long errors,
    long n,
    @Nullable Double p50,
    @Nullable Double p90,
    @Nullable Double p99,
    @Nullable Interval p99Interval,
    @Nullable Double max) {}
