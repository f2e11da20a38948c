package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.CheckName;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a gate is run.
 *
 * @param seed from which everything random follows
 * @param samples prompts at most
 * @param concurrency levels of the production arms, each as often as its share says; not empty
 * @param ratePerSecond most requests per second in closed arms, 0 for no limit
 * @param peakPerSecond arrival rate that load 1.0 stands for; null to take it from the recorded
 *     traffic, or else from what the old side does at fixed concurrency
 * @param loads levels of the open loop, as multiples of the peak
 * @param blocks blocks per side and level
 * @param block length of a block
 * @param warmUp first part of every block, which is dropped
 * @param afterFlip requests after the way back
 * @param flipLimit longest time that the way back may take
 * @param checks for which arms are run
 */
public record RunOptions(
    long seed,
    int samples,
    List<Integer> concurrency,
    double ratePerSecond,
    @Nullable Double peakPerSecond,
    List<Double> loads,
    int blocks,
    Duration block,
    Duration warmUp,
    int afterFlip,
    Duration flipLimit,
    Set<CheckName> checks) {
  public RunOptions {
    concurrency = List.copyOf(concurrency);
    loads = List.copyOf(loads);
    checks = Set.copyOf(checks);
    if (concurrency.isEmpty()) {
      throw new IllegalArgumentException("concurrency: must hold a level");
    }
  }

  /** Requests in flight where one number is wanted: the mean of the levels. */
  public int typicalConcurrency() {
    return (int) Math.round(concurrency.stream().mapToInt(k -> k).average().orElse(1));
  }

  /** The same for other checks. */
  public RunOptions withChecks(Set<CheckName> others) {
    return new RunOptions(
        seed,
        samples,
        concurrency,
        ratePerSecond,
        peakPerSecond,
        loads,
        blocks,
        block,
        warmUp,
        afterFlip,
        flipLimit,
        others);
  }

  /** Whether a check's arms are run. */
  boolean has(CheckName check) {
    return checks.contains(check);
  }
}
