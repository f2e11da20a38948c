package io.servedrift.monitors.replay;

import io.servedrift.monitors.archive.ArchiveException;
import io.servedrift.monitors.archive.BrokerWatch;
import io.servedrift.monitors.archive.KafkaStart;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.schemas.Topics;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Records of the topics themselves, sought by their timestamps. */
public final class KafkaSource implements RecordSource {
  private final Consumer<byte[], byte[]> consumer;
  private final Topics topics;
  private final PaneSettings settings;
  private final BrokerWatch watch;
  private Map<TopicPartition, Long> ends = Map.of();
  private long expected;

  /**
   * @param consumer not subscribed, byte arrays, {@code read_committed}; stays the caller's to
   *     close
   */
  public KafkaSource(Consumer<byte[], byte[]> consumer, Topics topics, PaneSettings settings) {
    this.consumer = consumer;
    this.topics = topics;
    this.settings = settings;
    this.watch = new BrokerWatch(consumer);
  }

  /**
   * @throws IllegalStateException when the topics are missing or not co-partitioned
   */
  @Override
  public int requestPartitions() {
    int requests = count(topics.requests());
    int scores = count(topics.scores());
    if (requests != scores) {
      throw new IllegalStateException(
          "partitions of "
              + topics.requests()
              + " ("
              + requests
              + ") and "
              + topics.scores()
              + " ("
              + scores
              + ") must be equal: records of one key are read together");
    }
    return requests;
  }

  @Override
  public int eventPartitions() {
    return count(topics.servingEvents());
  }

  private int count(String topic) {
    List<PartitionInfo> found = consumer.partitionsFor(topic);
    if (found == null || found.isEmpty()) {
      throw new IllegalStateException("topic " + topic + " does not exist");
    }
    return found.size();
  }

  @Override
  public void open(List<TopicPartition> partitions, ReplayRange range, @Nullable Instant readFrom) {
    consumer.assign(partitions);
    ends = new HashMap<>(consumer.endOffsets(partitions));
    Map<TopicPartition, Long> starts = KafkaStart.offsets(consumer, range.from(), readFrom, ends);
    starts.forEach(consumer::seek);
    expected = total(lastNeeded(range)) - total(starts);
  }

  /** About where the range ends; only for the time that is left. */
  private Map<TopicPartition, Long> lastNeeded(ReplayRange range) {
    Instant to = range.to();
    if (to == null) {
      return ends;
    }
    long until = Math.max(0, ReplayRange.readUntil(to, settings).toEpochMilli());
    Map<TopicPartition, Long> times = new HashMap<>();
    ends.keySet().forEach(partition -> times.put(partition, until));
    Map<TopicPartition, Long> last = new HashMap<>(ends);
    for (Map.Entry<TopicPartition, @Nullable OffsetAndTimestamp> found :
        consumer.offsetsForTimes(times).entrySet()) {
      OffsetAndTimestamp offset = found.getValue();
      if (offset != null) {
        last.put(found.getKey(), offset.offset());
      }
    }
    return last;
  }

  private static long total(Map<TopicPartition, Long> offsets) {
    return offsets.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public long expected() {
    return Math.max(0, expected);
  }

  /**
   * @throws org.apache.kafka.common.errors.TimeoutException when the broker has gone away
   */
  @Override
  public Iterable<ConsumerRecord<byte[], byte[]>> poll(Set<TopicPartition> readable) {
    Set<TopicPartition> others = new HashSet<>(ends.keySet());
    others.removeAll(readable);
    consumer.resume(readable);
    consumer.pause(others);
    try {
      return watch.poll();
    } catch (InvalidOffsetException e) {
      throw new ArchiveException(
          ArchiveException.Kind.NO_DATA,
          "records were deleted, by their age, before they were read: " + e.getMessage(),
          e);
    }
  }

  @Override
  public boolean atEnd(TopicPartition partition) {
    return consumer.position(partition) >= ends.getOrDefault(partition, 0L);
  }
}
