package io.servedrift.monitors.topology;

import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.DeadLetter;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * What the processors of both stages do alike with their records: say where they stand, and put
 * aside the unusable.
 */
final class TaskInput {
  private final ProcessorContext<byte[], byte[]> context;
  private final StageParts parts;
  private final String deadLettersSink;
  private long timestamp;

  TaskInput(ProcessorContext<byte[], byte[]> context, StageParts parts, String deadLettersSink) {
    this.context = context;
    this.parts = parts;
    this.deadLettersSink = deadLettersSink;
  }

  /** Takes the next record in hand. */
  void next(Record<byte[], byte[]> record) {
    timestamp = Math.max(0, record.timestamp());
  }

  /**
   * A timestamp that the broker takes: never after that of the record in hand, as brokers refuse
   * what lies far in the future, and a refused record would stop the task.
   */
  long stamp(long millis) {
    return Math.max(0, Math.min(millis, timestamp));
  }

  /** Topic of the record in hand. */
  String topic() {
    return place().topic();
  }

  /** {@code topic-partition@offset} of the record in hand. */
  String origin() {
    RecordMetadata place = place();
    return place.topic() + "-" + place.partition() + "@" + place.offset();
  }

  private RecordMetadata place() {
    return context.recordMetadata().orElseThrow();
  }

  /** Counts and keeps an unusable record, at the time of the record in hand. */
  void putAside(byte @Nullable [] payload, Reading.Rejected why, String origin) {
    putAside(payload, why, origin, timestamp);
  }

  /**
   * Counts and keeps an unusable record. The letter names its event time, but its place in the
   * topic is that of the record in hand: brokers refuse timestamps far in the future, and a refused
   * letter would stop the task.
   *
   * @param eventMillis its event time
   */
  void putAside(byte @Nullable [] payload, Reading.Rejected why, String origin, long eventMillis) {
    parts.tally().count("dead_letters_" + why.reason());
    DeadLetter letter =
        DeadLetters.of(
            payload,
            why,
            origin,
            Instant.ofEpochMilli(Math.max(0, eventMillis)),
            parts.rawDeadLetters());
    context.forward(
        new Record<byte @Nullable [], byte[]>(null, EventCodec.encode(letter), timestamp),
        deadLettersSink);
  }

  /** Everything that a store holds, by key. */
  static <K extends Comparable<K>> SortedMap<K, byte[]> contentOf(KeyValueStore<K, byte[]> store) {
    SortedMap<K, byte[]> content = new TreeMap<>();
    try (KeyValueIterator<K, byte[]> all = store.all()) {
      while (all.hasNext()) {
        KeyValue<K, byte[]> entry = all.next();
        content.put(entry.key, entry.value);
      }
    }
    return content;
  }
}
