package io.servedrift.monitors.archive;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Where the records of a time range begin in each partition. */
public final class KafkaStart {
  private KafkaStart() {}

  /**
   * First offsets of a range: those of the first record of each partition that is not older than
   * {@code readFrom}; the end when there is none.
   *
   * @param from start of the range as it was asked for, for the message
   * @param readFrom record time from which records are needed; null for all that are kept
   * @param ends end offset of each partition
   * @throws ArchiveException when records that are needed have been deleted by their age: what is
   *     left would look like the whole
   */
  public static Map<TopicPartition, Long> offsets(
      Consumer<byte[], byte[]> consumer,
      @Nullable Instant from,
      @Nullable Instant readFrom,
      Map<TopicPartition, Long> ends) {
    Collection<TopicPartition> partitions = ends.keySet();
    Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(partitions);
    if (from == null || readFrom == null) {
      return beginnings;
    }
    long start = Math.max(0, readFrom.toEpochMilli());
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(partition -> times.put(partition, start));
    Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
    Map<TopicPartition, Long> starts = new HashMap<>();
    String topic = "";
    long earliestKept = start;
    for (TopicPartition partition : partitions) {
      OffsetAndTimestamp offset = found.get(partition);
      long beginning = beginnings.getOrDefault(partition, 0L);
      starts.put(partition, offset == null ? ends.getOrDefault(partition, 0L) : offset.offset());
      // Something was deleted, and nothing older than the start is left of this partition.
      if (offset != null && beginning > 0 && offset.offset() <= beginning) {
        topic = offset.timestamp() > earliestKept ? partition.topic() : topic;
        earliestKept = Math.max(earliestKept, offset.timestamp());
      }
    }
    if (earliestKept > start) {
      throw new ArchiveException(
          ArchiveException.Kind.NO_DATA,
          passed(from, readFrom, topic, Instant.ofEpochMilli(earliestKept)));
    }
    return starts;
  }

  private static String passed(Instant from, Instant readFrom, String topic, Instant kept) {
    Instant possible = kept.plus(Duration.between(readFrom, from));
    return "--from "
        + from
        + ": needs records from "
        + readFrom
        + " on, but those of "
        + topic
        + " before "
        + kept
        + " are gone, past its retention. Whole from "
        + possible
        + " on; without --from everything that is kept is read";
  }
}
