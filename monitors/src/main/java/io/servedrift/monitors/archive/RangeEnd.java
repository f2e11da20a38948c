package io.servedrift.monitors.archive;

import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.Tick;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a partition has passed the end of a range, as the monitor sees it: by its ticks. The
 * time of a single record says nothing, it may come from a node with a wrong clock. Without ticks,
 * records move the clock once more of them wait than may. Not thread-safe.
 */
final class RangeEnd {
  /** Longer records are not ticks: those are 18 bytes, or some 60 as JSON. */
  private static final int LONGEST_TICK = 128;

  private final ArchiveRole role;
  private final Manifest.Range range;
  private final EventReader reader;
  private final int heldLimit;
  private int waiting;
  private boolean reached;

  RangeEnd(ArchiveRole role, Manifest.Range range, EventReader reader, int heldLimit) {
    this.role = role;
    this.range = range;
    this.reader = reader;
    this.heldLimit = heldLimit;
  }

  /** Whether nothing after the records seen so far is needed. */
  boolean reached() {
    return reached;
  }

  /** Whether this record, and all after it, are not needed. */
  boolean isBehind(ConsumerRecord<byte[], byte[]> record) {
    Instant from = range.from();
    if (role == ArchiveRole.JUDGE_STATE && from != null) {
      reached |= record.timestamp() > from.toEpochMilli();
    }
    return reached;
  }

  /** Takes a record that is kept; whether it is an event with a time in the range. */
  boolean countsAsEvent(ConsumerRecord<byte[], byte[]> record) {
    if (role == ArchiveRole.CONFIGS || role == ArchiveRole.JUDGE_STATE) {
      return false;
    }
    Instant until = range.readUntil();
    Tick tick = tick(record);
    if (tick != null) {
      waiting = 0;
      reached |= until != null && tick.getAt().isAfter(until);
      return false;
    }
    Instant at = Instant.ofEpochMilli(record.timestamp());
    if (until != null
        && at.isAfter(until)
        && reader.read(record.value()) instanceof Reading.Accepted) {
      waiting++;
      reached |= waiting > heldLimit;
    }
    return (range.from() == null || !at.isBefore(range.from()))
        && (range.to() == null || at.isBefore(range.to()))
        && isJudged(record.value());
  }

  /** Other records on these topics, such as heartbeats or ones that cannot be read, are no data. */
  private boolean isJudged(byte @Nullable [] value) {
    return value != null
        && reader.read(value) instanceof Reading.Accepted accepted
        && (accepted.event() instanceof RequestEvent || accepted.event() instanceof ScoreEvent);
  }

  private @Nullable Tick tick(ConsumerRecord<byte[], byte[]> record) {
    byte[] value = record.value();
    return value != null
            && value.length <= LONGEST_TICK
            && reader.read(value) instanceof Reading.Accepted accepted
            && accepted.event() instanceof Tick tick
        ? tick
        : null;
  }
}
