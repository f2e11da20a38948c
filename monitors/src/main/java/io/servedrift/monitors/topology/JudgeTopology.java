package io.servedrift.monitors.topology;

import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/**
 * Stage 2: per deployment, partial panes are merged in time order and rolled into windows.
 *
 * <pre>
 * panes-v1          --+
 *                     +--> judge --> windows-v1 (key deployment), dead-letters-v1
 * serving-events-v1 --+      |
 *                       judge-journal (in memory, changelog): parts of panes and windows that are still open
 * </pre>
 */
public final class JudgeTopology implements Supplier<Topology> {
  static final String PANES = "panes";
  static final String SERVING_EVENTS = "serving-events";
  static final String JUDGE = "judge";
  static final String JOURNAL_STORE = "judge-journal";
  static final String WINDOWS_SINK = "windows-out";
  static final String DEAD_LETTERS_SINK = "judge-dead-letters";

  private final Topics topics;
  private final PaneSettings settings;
  private final EventReader reader;
  private final boolean rawDeadLetters;
  private final Tally tally;

  /**
   * @param rawDeadLetters whether what cannot be parsed is kept as it came
   * @param tally where to count; shared by all tasks of this process
   */
  public JudgeTopology(
      Topics topics,
      PaneSettings settings,
      EventReader reader,
      boolean rawDeadLetters,
      Tally tally) {
    this.topics = topics;
    this.settings = settings;
    this.reader = reader;
    this.rawDeadLetters = rawDeadLetters;
    this.tally = tally;
  }

  @Override
  public Topology get() {
    Topology topology = new Topology();
    addTo(topology);
    return topology;
  }

  /** Adds this stage to a topology. */
  void addTo(Topology topology) {
    PaneTopology.readFrom(topology, PANES, topics.panes());
    PaneTopology.readFrom(topology, SERVING_EVENTS, topics.servingEvents());
    topology.addProcessor(
        JUDGE,
        () -> new JudgeProcessor(topics, settings, reader, rawDeadLetters, tally),
        PANES,
        SERVING_EVENTS);
    topology.addStateStore(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(JOURNAL_STORE), Serdes.String(), Serdes.ByteArray())
            .withLoggingEnabled(Map.of("cleanup.policy", "compact"))
            .withCachingDisabled(),
        JUDGE);
    PaneTopology.writeTo(topology, WINDOWS_SINK, topics.windows(), JUDGE);
    PaneTopology.writeTo(topology, DEAD_LETTERS_SINK, topics.deadLetters(), JUDGE);
  }
}
