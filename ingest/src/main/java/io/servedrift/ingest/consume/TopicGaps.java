package io.servedrift.ingest.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes on behind what a partition does not give: records that the client cannot read, and offsets
 * that are there no more. Not thread-safe.
 */
final class TopicGaps {
  private static final Logger LOG = LoggerFactory.getLogger(TopicGaps.class);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** A record may have been damaged on its way. */
  private static final int ATTEMPTS = 3;

  private final Consumer<byte[], byte[]> consumer;
  private final TopicPlaces places;
  private final List<UnreadRecord> unread = new ArrayList<>();
  private @Nullable UnreadRecord failing;
  private int attempts;

  TopicGaps(Consumer<byte[], byte[]> consumer, TopicPlaces places) {
    this.consumer = consumer;
    this.places = places;
  }

  /** The records since the last call that were passed over. */
  List<UnreadRecord> unread() {
    List<UnreadRecord> all = List.copyOf(unread);
    unread.clear();
    return all;
  }

  /** The client stands still at a record that it cannot read, until it is told to go on. */
  void passOver(KafkaException e) {
    String message = String.valueOf(e.getMessage());
    TopicPartition partition =
        consumer.assignment().stream()
            .filter(p -> message.matches("(?s).*\\b" + Pattern.quote(p.toString()) + "(?!\\d).*"))
            .findFirst()
            .orElseThrow(() -> e);
    long offset = consumer.position(partition, ANSWER);
    Throwable cause = e.getCause() == null ? e : e.getCause();
    UnreadRecord record = new UnreadRecord(partition, offset, cause.getClass().getSimpleName());
    attempts = record.equals(failing) ? attempts + 1 : 1;
    failing = record;
    if (attempts < ATTEMPTS) {
      consumer.seek(partition, offset);
      return;
    }
    LOG.warn("{}@{}: cannot be read, is passed over: {}", partition, offset, message);
    unread.add(record);
    consumer.seek(partition, offset + 1);
  }

  /** Goes on where there is something, after what was to be read has gone. */
  void goOn(OffsetOutOfRangeException e) {
    Map<TopicPartition, Long> missing = e.offsetOutOfRangePartitions();
    Map<TopicPartition, OffsetAndMetadata> cut =
        e instanceof LogTruncationException truncation ? truncation.divergentOffsets() : Map.of();
    try {
      Map<TopicPartition, Long> firsts = consumer.beginningOffsets(missing.keySet(), ANSWER);
      Map<TopicPartition, Long> ends = consumer.endOffsets(missing.keySet(), ANSWER);
      missing.forEach(
          (partition, offset) -> {
            long first = firsts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, first);
            if (e instanceof LogTruncationException) {
              OffsetAndMetadata at = cut.get(partition);
              goOnAtCut(partition, at == null ? Math.min(offset, end) : at.offset());
            } else {
              goOn(partition, offset, first, end);
            }
          });
    } catch (TimeoutException unknown) {
      LOG.warn("the offsets of {} are not known: {}", missing.keySet(), unknown.getMessage());
    }
  }

  private void goOnAtCut(TopicPartition partition, long at) {
    LOG.warn("{}: the broker lost records that were read; reading goes on at {}", partition, at);
    places.cut(partition, at);
    consumer.seek(partition, at);
  }

  private void goOn(TopicPartition partition, long missing, long first, long end) {
    if (missing < first) {
      LOG.warn(
          "{}: offset {} is there no more (retention); reading goes on at {}, what was between is"
              + " missing",
          partition,
          missing,
          first);
      places.skip(partition, first);
    } else {
      LOG.warn(
          "{}: offset {} lies beyond the end {}: the topic was made anew, or the broker lost"
              + " records; reading begins anew at {}",
          partition,
          missing,
          end,
          first);
      places.begin(partition, TopicPlace.at(first));
    }
    consumer.seek(partition, first);
  }
}
