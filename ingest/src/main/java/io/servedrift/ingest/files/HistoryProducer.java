package io.servedrift.ingest.files;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes records with their event time as timestamp through one idempotent producer, which keeps
 * their order in each partition. The first failure is kept and ends the import. One thread writes.
 */
final class HistoryProducer implements AutoCloseable {
  private static final int PROGRESS_RECORDS = 1_000;

  private final KafkaProducer<byte[], byte[]> producer;
  private final ImportProgress progress;
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private long records;
  private long bytes;

  HistoryProducer(Map<String, ?> kafka, ImportProgress progress) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, "servedrift-import");
    settings.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 20);
    settings.putIfAbsent(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024);
    // the order of ticks and events in a partition is the point of an import
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    this.producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    this.progress = progress;
  }

  int partitions(String topic) {
    return producer.partitionsFor(topic).size();
  }

  /** By the hash of the key, as the publisher of live events does. */
  void send(String topic, String key, byte[] value, Instant at) throws ImportException {
    send(topic, null, key, value, at);
  }

  void sendTo(String topic, int partition, byte[] value, Instant at) throws ImportException {
    send(topic, partition, null, value, at);
  }

  private void send(
      String topic, @Nullable Integer partition, @Nullable String key, byte[] value, Instant at)
      throws ImportException {
    throwFailure();
    byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
    try {
      // the callback hears of failures; waiting for each record would cost a round trip
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>(topic, partition, at.toEpochMilli(), keyBytes, value),
              (metadata, e) -> {
                if (e != null) {
                  failure.compareAndSet(null, e);
                }
              });
    } catch (KafkaException e) {
      throw brokenOff(e);
    }
    records++;
    bytes += value.length;
    if (records % PROGRESS_RECORDS == 0) {
      progress.at(records, bytes);
    }
  }

  /** Returns when everything sent is acknowledged. */
  void flush() throws ImportException {
    producer.flush();
    throwFailure();
    progress.at(records, bytes);
  }

  private void throwFailure() throws ImportException {
    Exception e = failure.get();
    if (e != null) {
      throw brokenOff(e);
    }
  }

  private ImportException brokenOff(Exception e) {
    String advice =
        e instanceof InvalidTimestampException
            ? "; the topics refuse such timestamps: import with a prefix whose topics do not exist"
                + " yet"
            : "; what was written is incomplete: delete the topics of the prefix before the next"
                + " try";
    return new ImportException(
        "import broke off after " + records + " records: " + e.getMessage() + advice, e);
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(10));
  }
}
