package io.servedrift.monitors.gate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the answers were collected.
 *
 * @param runId names the run
 * @param startedAt ISO-8601, as the run noted it
 * @param seed from which prompt seeds and arrival times were drawn
 * @param prompts number of prompts in the file
 * @param concurrency in flight in the production and fixed-concurrency arms
 * @param peakPerSecond arrival rate that load 1.0 stands for; null without an open loop
 * @param loads levels of the open loop, as multiples of the peak
 * @param blocks planned blocks per side and level
 * @param blockSeconds length of a block
 * @param warmUpSeconds first part of every block, which is dropped
 * @param temperature of chat requests at production setting, the highest of the prompts; null for
 *     images, and when a prompt leaves it to the endpoint
 */
public record RunSettings(
    String runId,
    String startedAt,
    long seed,
    int prompts,
    int concurrency,
    @Nullable Double peakPerSecond,
    List<Double> loads,
    int blocks,
    double blockSeconds,
    double warmUpSeconds,
    @Nullable Double temperature) {
  public RunSettings {
    loads = List.copyOf(loads);
  }
}
