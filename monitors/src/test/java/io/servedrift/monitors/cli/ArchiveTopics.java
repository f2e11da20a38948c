package io.servedrift.monitors.cli;

import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Tick;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Topics with everything that can stand on them: traffic whose cache hits lose quality after 90
 * minutes, Avro and JSON, repeats, late scores, serving events, rubbish, records of a node whose
 * clock is a day ahead, and ticks.
 */
final class ArchiveTopics {
  static final Instant START = SteadyTraffic.START;
  static final int PARTITIONS = 3;
  static final int EVENT_PARTITIONS = 2;

  private static final Duration BEFORE = Duration.ofMinutes(90);
  private static final Duration AFTER = Duration.ofMinutes(50);
  private static final Duration AHEAD = Duration.ofDays(1);

  final Topics topics;
  private final Map<String, Object> kafka;

  ArchiveTopics(String bootstrapServers, String prefix) {
    this.topics = Topics.forHistory(prefix);
    this.kafka =
        Map.of(
            "bootstrap.servers",
            bootstrapServers,
            // Leaders may still be found: a retried record must not overtake another.
            "max.in.flight.requests.per.connection",
            1);
  }

  void create() throws ExecutionException, InterruptedException {
    List<NewTopic> wanted = new ArrayList<>();
    for (TopicSpec spec : topics.all(PARTITIONS, EVENT_PARTITIONS)) {
      wanted.add(new NewTopic(spec.name(), spec.partitions(), (short) 1).configs(spec.config()));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.get("bootstrap.servers")))) {
      admin.createTopics(wanted).all().get();
    }
  }

  private static List<SpecificRecord> traffic() {
    Shape faulty = new Shape();
    faulty.hitScore = -.03;
    List<RequestEvent> requests = new SteadyTraffic(3, 40).run(BEFORE).run(AFTER, faulty).take();
    List<SpecificRecord> all = new ArrayList<>(requests);
    for (int i = 0; i < requests.size(); i += 3) {
      RequestEvent request = requests.get(i);
      all.add(
          ScoreEvent.newBuilder()
              .setRequestId(request.getRequestId())
              .setDeployment(request.getDeployment())
              .setName("aesthetic")
              .setValue(5 + (i % 10) / 10.0)
              .setScorer("laion-v2@1")
              .setScoredAt(request.getFinishedAt().plusSeconds(7))
              .build());
    }
    String deployment = requests.get(0).getDeployment();
    for (int minute = 5; minute < BEFORE.plus(AFTER).toMinutes(); minute += 10) {
      Instant at = START.plus(Duration.ofMinutes(minute)).plusMillis(137);
      all.add(
          new ServingEvent(
              "e-" + minute, at, deployment, null, ServingEventKind.CACHE_FLUSH, Map.of()));
    }
    all.sort(Comparator.comparing(EventTimes::of));
    return all;
  }

  /** Writes everything in the order of time, ticks every two seconds. */
  void fill() {
    List<SpecificRecord> traffic = traffic();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer())) {
      ConfigRecord meaning = new ConfigRecord();
      meaning.setAt(START);
      meaning.setConfigId(((RequestEvent) traffic.get(0)).getConfigId());
      send(producer, record(meaning, EventCodec.encode(meaning)));
      Instant tick = START;
      for (int i = 0; i < traffic.size(); i++) {
        Instant at = EventTimes.of(traffic.get(i));
        for (; tick.isBefore(at); tick = tick.plusSeconds(2)) {
          tick(producer, tick);
        }
        write(producer, traffic.get(i), i);
      }
      for (int i = 0; i < 1_200; i++) {
        tick = tick.plusSeconds(2);
        tick(producer, tick);
      }
    }
  }

  private void write(KafkaProducer<byte[], byte[]> producer, SpecificRecord event, int i) {
    byte[] avro = EventCodec.encode(event);
    byte[] json = EventJson.toJson(event).toString().getBytes(StandardCharsets.UTF_8);
    ProducerRecord<byte[], byte[]> record = record(event, i % 5 == 0 ? json : avro);
    record.headers().add("i", Integer.toString(i).getBytes(StandardCharsets.UTF_8));
    send(producer, record);
    if (i % 41 == 0) {
      send(producer, record(event, avro));
    }
    if (i % 97 == 0) {
      send(producer, record(event, "rubbish".getBytes(StandardCharsets.UTF_8)));
    }
    if (i % 211 == 0 && event instanceof RequestEvent request) {
      RequestEvent ahead =
          RequestEvent.newBuilder(request)
              .setRequestId("ahead-" + i)
              .setFinishedAt(request.getFinishedAt().plus(AHEAD))
              .setArrivedAt(request.getFinishedAt())
              .build();
      send(producer, record(ahead, EventCodec.encode(ahead)));
    }
  }

  private ProducerRecord<byte[], byte[]> record(SpecificRecord event, byte[] value) {
    return new ProducerRecord<>(
        RecordRouting.topicFor(event, topics),
        null,
        EventTimes.of(event).toEpochMilli(),
        RecordRouting.keyFor(event).getBytes(StandardCharsets.UTF_8),
        value);
  }

  private void tick(KafkaProducer<byte[], byte[]> producer, Instant at) {
    byte[] value = EventCodec.encode(new Tick(at));
    for (int i = 0; i < PARTITIONS; i++) {
      send(producer, new ProducerRecord<>(topics.requests(), i, at.toEpochMilli(), null, value));
      send(producer, new ProducerRecord<>(topics.scores(), i, at.toEpochMilli(), null, value));
    }
    for (int i = 0; i < EVENT_PARTITIONS; i++) {
      send(
          producer,
          new ProducerRecord<>(topics.servingEvents(), i, at.toEpochMilli(), null, value));
    }
  }

  private static void send(
      KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
    Future<RecordMetadata> unused =
        producer.send(
            record,
            (metadata, error) -> {
              if (error != null) {
                throw new AssertionError("not written to " + record.topic(), error);
              }
            });
  }
}
