package io.servedrift.ingest.consume;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * The time up to which everything that was written has been read: of a partition read to its end
 * the time of that look, of one that lies behind the timestamp of what was read last. The partner
 * of a record may stand in any partition, so the one furthest behind tells. Of a partition it never
 * runs backwards. Not thread-safe.
 */
final class ReadTime {
  /** Partitions this near to the one furthest behind are as far as that one. */
  private static final Duration ABREAST = Duration.ofSeconds(1);

  private final Map<TopicPartition, Instant> upTo = new HashMap<>();

  /** A partition to be waited for; nothing is known of it yet. */
  void add(TopicPartition partition) {
    upTo.putIfAbsent(partition, Instant.EPOCH);
  }

  /**
   * When a record came: its timestamp, but not before what of its partition is known to be read, as
   * the clock of its node may be slow, nor after now.
   *
   * @param timestamp milliseconds; negative when the record has none
   */
  Instant came(TopicPartition partition, long timestamp, Instant now) {
    Instant written = timestamp < 0 ? now : Instant.ofEpochMilli(timestamp);
    return earlier(later(written, upTo.getOrDefault(partition, Instant.EPOCH)), now);
  }

  /**
   * Records were read.
   *
   * @param oldest timestamp among them, milliseconds; negative when one has none
   * @param now the clock, ahead of which no timestamp is believed
   */
  void read(TopicPartition partition, long oldest, Instant now) {
    if (oldest >= 0) {
      upTo.merge(partition, earlier(Instant.ofEpochMilli(oldest), now), ReadTime::later);
    }
  }

  /** Nothing was left in the partition at that time. */
  void atEnd(TopicPartition partition, Instant at) {
    upTo.merge(partition, at, ReadTime::later);
  }

  /** The time; {@link Instant#EPOCH} while it is not known. */
  Instant now() {
    return upTo.values().stream().min(Instant::compareTo).orElse(Instant.EPOCH);
  }

  /** The partitions that are read further than others. */
  Set<TopicPartition> ahead() {
    Instant behind = now().plus(ABREAST);
    return upTo.entrySet().stream()
        .filter(e -> e.getValue().isAfter(behind))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }
}
