package io.servedrift.monitors.replay;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Where a replay gets the records of the three input topics from. Not thread-safe. */
public interface RecordSource {
  /** Partitions of the requests topic, and as many of the scores topic. */
  int requestPartitions();

  /** Partitions of the serving-events topic. */
  int eventPartitions();

  /**
   * Goes to the beginning of a range in each of these partitions.
   *
   * @param range what is asked for, for messages and to foresee the end
   * @param readFrom record time from which records are needed; null for all
   * @throws io.servedrift.monitors.archive.ArchiveException when records that are needed are gone
   */
  void open(List<TopicPartition> partitions, ReplayRange range, @Nullable Instant readFrom);

  /** Records from here to the end of the range, about; 0 when that is not known. */
  long expected();

  /** Some next records of these partitions, in the order of each; may be none at a time. */
  Iterable<ConsumerRecord<byte[], byte[]>> poll(Set<TopicPartition> readable);

  /** Whether all records of a partition have been given. */
  boolean atEnd(TopicPartition partition);
}
