package io.servedrift.monitors.bench;

import io.servedrift.monitors.demo.TrafficModel;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The topics that a bench measures with, filled from the demo's traffic model. */
final class BenchTopics {
  static final int PARTITIONS = 12;

  private static final int DEPLOYMENT_PARTITIONS = 6;

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final Map<String, Object> kafka;
  private final Topics topics;

  BenchTopics(Map<String, Object> kafka, Topics topics) {
    this.kafka = kafka;
    this.topics = topics;
  }

  /**
   * Makes the topics.
   *
   * @throws ExecutionException when they cannot be created
   */
  void create() throws InterruptedException, ExecutionException {
    List<NewTopic> wanted = new ArrayList<>();
    for (TopicSpec spec : topics.all(PARTITIONS, DEPLOYMENT_PARTITIONS)) {
      wanted.add(new NewTopic(spec.name(), spec.partitions(), (short) 1).configs(spec.config()));
    }
    try (Admin admin = Admin.create(kafka)) {
      admin.createTopics(wanted).all().get();
    }
  }

  /** Writes this many requests and scores, with the serving events among them and all ticks. */
  void fill(int records) {
    Map<String, Object> config = new HashMap<>(kafka);
    config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    config.put(ProducerConfig.LINGER_MS_CONFIG, 20);
    // With more, the first batch for a partition whose leader is just coming up is refused while
    // the
    // second gets through; the broker takes that one as the start, and the first is sent for ever.
    config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    // A broker that is held up for minutes must not cost records: all phases are to read the same.
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 1_800_000);
    // Twenty times the demo's traffic, so that ticks are few among the records as on a busy fleet.
    TrafficModel traffic = new TrafficModel(1, START, 20);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      Instant tick = START;
      int written = 0;
      while (written < records && traffic.hasNext()) {
        SpecificRecord event = traffic.next();
        boolean counts = event instanceof RequestEvent || event instanceof ScoreEvent;
        if (!counts && !(event instanceof ServingEvent)) {
          continue;
        }
        for (; tick.isBefore(EventTimes.of(event)); tick = tick.plusSeconds(1)) {
          tickEverywhere(producer, tick);
        }
        send(
            producer,
            new ProducerRecord<>(
                RecordRouting.topicFor(event, topics),
                null,
                EventTimes.of(event).toEpochMilli(),
                RecordRouting.keyFor(event).getBytes(StandardCharsets.UTF_8),
                EventCodec.encode(event)));
        written += counts ? 1 : 0;
      }
      tickEverywhere(producer, tick.plus(Duration.ofHours(1)));
    }
  }

  private void tickEverywhere(KafkaProducer<byte[], byte[]> producer, Instant at) {
    byte[] value = EventCodec.encode(new Tick(at));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      send(
          producer,
          new ProducerRecord<>(topics.requests(), partition, at.toEpochMilli(), null, value));
      send(
          producer,
          new ProducerRecord<>(topics.scores(), partition, at.toEpochMilli(), null, value));
    }
    // Without these the judge would wait for events that may still come, and judge nothing.
    for (int partition = 0; partition < DEPLOYMENT_PARTITIONS; partition++) {
      send(
          producer,
          new ProducerRecord<>(topics.servingEvents(), partition, at.toEpochMilli(), null, value));
    }
  }

  /**
   * A lost record would only make every phase read one less: closing the producer waits for all.
   */
  private static void send(
      KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
    Future<RecordMetadata> unused = producer.send(record);
  }
}
