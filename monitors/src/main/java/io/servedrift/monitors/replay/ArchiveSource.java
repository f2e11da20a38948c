package io.servedrift.monitors.replay;

import io.servedrift.monitors.archive.ArchiveException;
import io.servedrift.monitors.archive.ArchiveRole;
import io.servedrift.monitors.archive.ArchivedTraffic;
import io.servedrift.monitors.archive.PartitionRecords;
import io.servedrift.monitors.pane.PaneSettings;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Records that {@code archive} wrote to files; a block of each partition is in memory. */
public final class ArchiveSource implements RecordSource, AutoCloseable {
  private static final int RECORDS_PER_TURN = 500;
  private static final List<ArchiveRole> ROLES =
      List.of(ArchiveRole.REQUESTS, ArchiveRole.SCORES, ArchiveRole.SERVING_EVENTS);

  private final ArchivedTraffic traffic;
  private final PaneSettings settings;
  private final Map<TopicPartition, PartitionRecords> partitions =
      new TreeMap<>(
          Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));

  /**
   * Reads this archive.
   *
   * @param settings of the replay, which decide how far beyond its end it needs records
   */
  public ArchiveSource(ArchivedTraffic traffic, PaneSettings settings) {
    this.traffic = traffic;
    this.settings = settings;
  }

  @Override
  public int requestPartitions() {
    return traffic.count(ArchiveRole.REQUESTS);
  }

  @Override
  public int eventPartitions() {
    return traffic.count(ArchiveRole.SERVING_EVENTS);
  }

  /**
   * @throws ArchiveException when the range begins before the archive or ends after it, or needs
   *     later scores than it holds
   */
  @Override
  public void open(List<TopicPartition> wanted, ReplayRange range, @Nullable Instant readFrom) {
    requireInside(range, readFrom);
    requireLateScores(range.to());
    for (ArchiveRole role : ROLES) {
      for (int i = 0; i < traffic.count(role); i++) {
        PartitionRecords records = traffic.read(role, i);
        partitions.put(new TopicPartition(role.topic(traffic.topics()), i), records);
        if (readFrom != null) {
          records.seek(readFrom);
        }
      }
    }
  }

  private void requireInside(ReplayRange range, @Nullable Instant readFrom) {
    Instant first = traffic.readFrom();
    Instant last = traffic.to();
    Instant end = range.to();
    boolean early = first != null && (readFrom == null || readFrom.isBefore(first));
    boolean late = last != null && (end == null || end.isAfter(last));
    if (early || late) {
      throw new ArchiveException(
          ArchiveException.Kind.NO_DATA,
          "the archive holds records for a replay from "
              + text(traffic.from(), "the first one")
              + " to "
              + text(last, "the last one")
              + "; this one needs those from "
              + text(readFrom, "the first one")
              + " on and ends at "
              + text(end, "the last one"));
    }
  }

  /**
   * An archive that was written with a shorter horizon or grace ends too early for a longer one.
   */
  private void requireLateScores(@Nullable Instant end) {
    Instant kept = traffic.readUntil();
    if (end == null || kept == null) {
      return;
    }
    Instant needed = ReplayRange.readUntil(end, settings);
    if (needed.isAfter(kept)) {
      throw new ArchiveException(
          ArchiveException.Kind.NO_DATA,
          "the archive holds records until "
              + kept
              + "; with this grace, score-grace and horizon a replay to "
              + end
              + " needs those until "
              + needed
              + ": use the settings it was written with, or a --to that much earlier");
    }
  }

  private static String text(@Nullable Instant time, String none) {
    return time == null ? none : time.toString();
  }

  @Override
  public long expected() {
    return traffic.records(ROLES);
  }

  @Override
  public Iterable<ConsumerRecord<byte[], byte[]>> poll(Set<TopicPartition> readable) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    partitions.forEach(
        (partition, source) -> {
          for (int i = 0; i < RECORDS_PER_TURN && readable.contains(partition); i++) {
            ConsumerRecord<byte[], byte[]> record = source.take();
            if (record == null) {
              break;
            }
            records.add(record);
          }
        });
    return records;
  }

  @Override
  public boolean atEnd(TopicPartition partition) {
    PartitionRecords records = partitions.get(partition);
    return records == null || records.peek() == null;
  }

  @Override
  public void close() throws IOException {
    for (PartitionRecords records : partitions.values()) {
      records.close();
    }
  }
}
