package io.servedrift.monitors.topology;

import org.apache.kafka.streams.Topology;

/**
 * Evaluations on their way to the judge.
 *
 * <pre>
 * evals-v1 --> eval-copies --> serving-events-v1 (key deployment), configs-v1, dead-letters-v1
 * </pre>
 */
final class EvalTopology {
  static final String EVALS = "evals";
  static final String COPIES = "eval-copies";
  static final String SERVING_EVENTS_SINK = "eval-copies-out";
  static final String CONFIGS_SINK = "eval-configs-out";
  static final String DEAD_LETTERS_SINK = "eval-dead-letters";

  private final StageParts parts;

  EvalTopology(StageParts parts) {
    this.parts = parts;
  }

  /** Adds the copying to a topology. */
  void addTo(Topology topology) {
    PaneTopology.readFrom(topology, EVALS, parts.topics().evals());
    topology.addProcessor(COPIES, () -> new EvalProcessor(parts), EVALS);
    PaneTopology.writeTo(topology, SERVING_EVENTS_SINK, parts.topics().servingEvents(), COPIES);
    PaneTopology.writeTo(topology, CONFIGS_SINK, parts.topics().configs(), COPIES);
    PaneTopology.writeTo(topology, DEAD_LETTERS_SINK, parts.topics().deadLetters(), COPIES);
  }
}
