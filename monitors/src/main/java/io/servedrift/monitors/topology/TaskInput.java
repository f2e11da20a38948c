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

  TaskInput(ProcessorContext<byte[], byte[]> context, StageParts parts, String deadLettersSink) {
    this.context = context;
    this.parts = parts;
    this.deadLettersSink = deadLettersSink;
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

  /**
   * Counts and keeps an unusable record.
   *
   * @param millis its event time where known, else that of the Kafka record
   */
  void putAside(byte @Nullable [] payload, Reading.Rejected why, String origin, long millis) {
    parts.tally().count("dead_letters_" + why.reason());
    long at = Math.max(0, millis);
    DeadLetter letter =
        DeadLetters.of(payload, why, origin, Instant.ofEpochMilli(at), parts.rawDeadLetters());
    context.forward(
        new Record<byte @Nullable [], byte[]>(null, EventCodec.encode(letter), at),
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
