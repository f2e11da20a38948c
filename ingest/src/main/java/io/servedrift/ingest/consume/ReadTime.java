package io.servedrift.ingest.consume;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * The time up to which everything that was written has been read: of a partition read to its end
 * the time of that look, of one that lies behind the timestamp of what was read last. The partner
 * of a record may stand in any partition, so the one furthest behind tells. Not thread-safe.
 */
final class ReadTime {
  private final Map<TopicPartition, Instant> upTo = new HashMap<>();

  /** A partition to be waited for; nothing is known of it yet. */
  void add(TopicPartition partition) {
    upTo.putIfAbsent(partition, Instant.EPOCH);
  }

  /**
   * Records were read.
   *
   * @param oldest timestamp among them
   * @param now the clock, ahead of which no timestamp is believed
   */
  void read(TopicPartition partition, Instant oldest, Instant now) {
    upTo.put(partition, oldest.isAfter(now) ? now : oldest);
  }

  /** Nothing was left in the partition at that time. */
  void atEnd(TopicPartition partition, Instant at) {
    upTo.put(partition, at);
  }

  /** The time; {@link Instant#EPOCH} while it is not known. */
  Instant now() {
    return upTo.values().stream().min(Instant::compareTo).orElse(Instant.EPOCH);
  }
}
