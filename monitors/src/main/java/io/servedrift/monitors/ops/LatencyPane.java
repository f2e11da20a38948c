package io.servedrift.monitors.ops;

import java.time.Instant;
import java.util.List;

/**
 * The latencies of one configuration in a pane that has closed.
 *
 * @param end of the pane, event time
 * @param values as many values as are known apart, in seconds
 * @param sumSeconds sum of all latencies
 * @param examples some of the requests
 */
public record LatencyPane(
    String deployment,
    String modelId,
    String configId,
    Instant end,
    List<Counted> values,
    double sumSeconds,
    List<Example> examples) {

  /** Copies the lists. */
  public LatencyPane {
    values = List.copyOf(values);
    examples = List.copyOf(examples);
  }

  /**
   * Requests of one latency.
   *
   * @param seconds the latency, or what stands for its bin
   * @param count how many
   */
  public record Counted(double seconds, long count) {}

  /**
   * One request.
   *
   * @param at when it finished
   */
  public record Example(String requestId, double seconds, Instant at) {}
}
