package io.servedrift.monitors.topology;

import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/**
 * Stage 2: per deployment, partial panes are merged in time order, rolled into windows, and judged
 * together with serving events.
 *
 * <pre>
 * panes-v1          --+
 *                     +--> judge --> findings-v1, windows-v1 (key deployment), dead-letters-v1,
 *                     |      |       judge-state-v1 (checkpoints of the judge)
 *                     |      |       a tick in each partition of windows-v1 says how far its windows are closed
 * serving-events-v1 --+      |
 *                       judge-journal (in memory, changelog): parts of panes and windows that are still open,
 *                                                             steps that the judge has not taken, and those since its checkpoint
 * </pre>
 */
final class JudgeTopology {
  static final String PANES = "panes";
  static final String SERVING_EVENTS = "serving-events";
  static final String JUDGE = "judge";
  static final String JOURNAL_STORE = "judge-journal";
  static final String WINDOWS_SINK = "windows-out";
  static final String FINDINGS_SINK = "findings-out";
  static final String CHECKPOINTS_SINK = "checkpoints-out";
  static final String DEAD_LETTERS_SINK = "judge-dead-letters";

  private final StageParts parts;

  JudgeTopology(StageParts parts) {
    this.parts = parts;
  }

  /** Adds this stage to a topology. */
  void addTo(Topology topology) {
    PaneTopology.readFrom(topology, PANES, parts.topics().panes());
    PaneTopology.readFrom(topology, SERVING_EVENTS, parts.topics().servingEvents());
    topology.addProcessor(JUDGE, () -> new JudgeProcessor(parts), PANES, SERVING_EVENTS);
    topology.addStateStore(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(JOURNAL_STORE), Serdes.String(), Serdes.ByteArray())
            .withLoggingEnabled(Map.of("cleanup.policy", "compact"))
            .withCachingDisabled(),
        JUDGE);
    WindowsPartitioner.writeTo(topology, WINDOWS_SINK, parts.topics().windows(), JUDGE);
    PaneTopology.writeTo(topology, FINDINGS_SINK, parts.topics().findings(), JUDGE);
    PaneTopology.writeTo(topology, CHECKPOINTS_SINK, parts.topics().judgeState(), JUDGE);
    PaneTopology.writeTo(topology, DEAD_LETTERS_SINK, parts.topics().deadLetters(), JUDGE);
  }
}
