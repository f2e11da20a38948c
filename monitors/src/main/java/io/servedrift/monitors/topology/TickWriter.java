package io.servedrift.monitors.topology;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.Tick;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Lets time pass through records: writes the clock of this instance into every input partition that
 * it owns. This is the only place of the monitor where a wall clock enters, and it enters as data,
 * so a replay sees the same time pass. When two instances own a partition for a moment both write;
 * a clock never runs back, so that does no harm.
 */
final class TickWriter implements AutoCloseable {
  private final Producer<byte[], byte[]> producer;
  private final Set<String> topics;
  private final Supplier<List<TopicPartition>> owned;
  private final Duration interval;
  private final Clock clock;
  private final TickWarnings warnings = new TickWarnings(System::nanoTime);
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "servedrift-ticks");
            thread.setDaemon(true);
            return thread;
          });

  TickWriter(
      Map<String, Object> kafka,
      List<String> topics,
      Supplier<List<TopicPartition>> owned,
      Duration interval,
      Clock clock) {
    Map<String, Object> config = new HashMap<>(kafka);
    config.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, "servedrift-ticks");
    config.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, 500);
    config.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 5);
    this.producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    this.topics = Set.copyOf(topics);
    this.owned = owned;
    this.interval = interval;
    this.clock = clock;
  }

  void start() {
    Future<?> unused =
        // Not at a fixed rate: after a suspension it would make up for every tick of it at once.
        scheduler.scheduleWithFixedDelay(
            this::tickSafely, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * A failed tick is a late tick, never the end of ticking: an exception would cancel the schedule.
   */
  private void tickSafely() {
    try {
      tick();
    } catch (RuntimeException e) {
      warnings.missed(e);
    }
  }

  private void tick() {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    byte[] value = EventCodec.encode(new Tick(now));
    for (TopicPartition partition : owned.get()) {
      if (topics.contains(partition.topic())) {
        Future<RecordMetadata> unused =
            producer.send(
                new ProducerRecord<>(
                    partition.topic(), partition.partition(), now.toEpochMilli(), null, value),
                (metadata, error) -> {
                  if (error != null) {
                    warnings.missed(error);
                  }
                });
      }
    }
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    producer.close(Duration.ofSeconds(2));
  }
}
