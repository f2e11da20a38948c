package io.servedrift.monitors.topology;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.state.Stores;

/**
 * Stage 1: requests and scores, keyed by request id and so co-partitioned, become panes per source
 * partition.
 *
 * <pre>
 * requests-v1 --+
 *               +--> pane-aggregation --> panes-v1 (key deployment), dead-letters-v1, configs-v1,
 * scores-v1   --+         |               windows-v1 (a heartbeat a minute and deployment)
 *                    pane-arrivals (in memory, changelog): what was counted and may still be referred to
 * </pre>
 */
final class PaneTopology {
  static final String REQUESTS = "requests";
  static final String SCORES = "scores";
  static final String AGGREGATION = "pane-aggregation";
  static final String ARRIVALS_STORE = "pane-arrivals";
  static final String COMMIT_HOOK = "pane-commit-hook";
  static final String PANES_SINK = "panes-out";
  static final String DEAD_LETTERS_SINK = "pane-dead-letters";
  static final String CONFIGS_SINK = "configs-out";
  static final String HEARTBEATS_SINK = "heartbeats-out";

  private final StageParts parts;

  PaneTopology(StageParts parts) {
    this.parts = parts;
  }

  /** Adds this stage to a topology. */
  void addTo(Topology topology) {
    readFrom(topology, REQUESTS, parts.topics().requests());
    readFrom(topology, SCORES, parts.topics().scores());
    topology.addProcessor(AGGREGATION, () -> new PaneProcessor(parts), REQUESTS, SCORES);
    topology.addStateStore(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(ARRIVALS_STORE), Serdes.Long(), Serdes.ByteArray())
            .withLoggingEnabled(Map.of("cleanup.policy", "compact"))
            .withCachingDisabled(),
        AGGREGATION);
    topology.addStateStore(new CommitHook.Builder(COMMIT_HOOK), AGGREGATION);
    topology.addSink(
        PANES_SINK,
        parts.topics().panes(),
        new ByteArraySerializer(),
        new ByteArraySerializer(),
        new PanePartitioner(),
        AGGREGATION);
    writeTo(topology, DEAD_LETTERS_SINK, parts.topics().deadLetters(), AGGREGATION);
    writeTo(topology, CONFIGS_SINK, parts.topics().configs(), AGGREGATION);
    WindowsPartitioner.writeTo(topology, HEARTBEATS_SINK, parts.topics().windows(), AGGREGATION);
  }

  static void readFrom(Topology topology, String name, String topic) {
    topology.addSource(
        AutoOffsetReset.earliest(),
        name,
        new RecordTime(),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        topic);
  }

  static void writeTo(Topology topology, String name, String topic, String parent) {
    topology.addSink(name, topic, new ByteArraySerializer(), new ByteArraySerializer(), parent);
  }

  /**
   * A watermark (no key) concerns every deployment and goes to every partition; the rest goes by
   * key.
   */
  private static final class PanePartitioner implements StreamPartitioner<byte[], byte[]> {
    @Override
    @SuppressWarnings("removal") // abstract still; Kafka 4.4 calls the variant with headers below
    public Optional<Set<Integer>> partitions(String topic, byte[] key, byte[] value, int count) {
      if (key != null) {
        return Optional.empty();
      }
      Set<Integer> all = new HashSet<>();
      for (int partition = 0; partition < count; partition++) {
        all.add(partition);
      }
      return Optional.of(all);
    }

    @Override
    public Optional<Set<Integer>> partitions(
        String topic, byte[] key, byte[] value, Headers headers, int count) {
      return partitions(topic, key, value, count);
    }
  }
}
