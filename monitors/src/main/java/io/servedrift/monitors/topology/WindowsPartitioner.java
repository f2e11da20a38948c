package io.servedrift.monitors.topology;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;

/**
 * Where records of the windows topic go: by key (deployment), which is the partition of the task
 * that writes them; a tick, which has no key, into the partition that it speaks of.
 */
final class WindowsPartitioner implements StreamPartitioner<byte[], byte[]> {
  private static final String PARTITION = "partition";

  /** Marks a record without key for this partition. */
  static void send(Headers headers, int partition) {
    headers.add(PARTITION, ByteBuffer.allocate(Integer.BYTES).putInt(partition).array());
  }

  /** Adds a sink that writes the windows topic. */
  static void writeTo(Topology topology, String name, String topic, String parent) {
    topology.addSink(
        name,
        topic,
        new ByteArraySerializer(),
        new ByteArraySerializer(),
        new WindowsPartitioner(),
        parent);
  }

  @Override
  @SuppressWarnings("removal") // abstract still; Kafka 4.4 calls the variant with headers below
  public Optional<Set<Integer>> partitions(String topic, byte[] key, byte[] value, int count) {
    return Optional.empty();
  }

  @Override
  public Optional<Set<Integer>> partitions(
      String topic, byte[] key, byte[] value, Headers headers, int count) {
    Header partition = headers.lastHeader(PARTITION);
    return partition == null
        ? Optional.empty()
        : Optional.of(Set.of(ByteBuffer.wrap(partition.value()).getInt() % count));
  }
}
