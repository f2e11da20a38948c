package io.servedrift.monitors.topology;

import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.TestEvents;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The topics of a monitor on a real broker: created, filled with traffic and its ticks, read back.
 */
public final class LiveTopics {
  /** Past the end of the traffic, so that every window up to 24 h closes. */
  static final Duration AFTER = Duration.ofHours(25);

  private static final int DEPLOYMENT_PARTITIONS = 2;

  public final Topics topics = Topics.forHistory("it-history");
  final Map<String, Object> kafka;

  public LiveTopics(String bootstrapServers) {
    this.kafka = Map.of("bootstrap.servers", bootstrapServers);
  }

  public void create(int requestPartitions) throws Exception {
    List<NewTopic> wanted = new ArrayList<>();
    for (TopicSpec spec : topics.all(requestPartitions, DEPLOYMENT_PARTITIONS)) {
      wanted.add(new NewTopic(spec.name(), spec.partitions(), (short) 1).configs(spec.config()));
    }
    try (Admin admin = Admin.create(kafka)) {
      admin.createTopics(wanted).all().get();
    }
  }

  /** The first tick of traffic: the second in which its first event lies. */
  static Instant firstTick(List<SpecificRecord> traffic) {
    return EventTimes.of(traffic.get(0)).truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * Writes traffic in event-time order, ticks once a second of event time into every input
   * partition.
   */
  public void fill(List<SpecificRecord> traffic, int requestPartitions) {
    Map<String, Object> settings = new HashMap<>(kafka);
    // Right after their creation, partitions may have no leader yet. With several requests in
    // flight a later one can be accepted first, and the retried one is out of order for good.
    settings.put("max.in.flight.requests.per.connection", 1);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      Instant tick = firstTick(traffic);
      for (SpecificRecord event : traffic) {
        for (; tick.isBefore(EventTimes.of(event)); tick = tick.plusSeconds(1)) {
          tickEverywhere(producer, tick, requestPartitions);
        }
        send(
            producer,
            new ProducerRecord<>(
                RecordRouting.topicFor(event, topics),
                null,
                EventTimes.of(event).toEpochMilli(),
                RecordRouting.keyFor(event).getBytes(StandardCharsets.UTF_8),
                EventCodec.encode(event)));
      }
      tickEverywhere(producer, tick.plus(AFTER), requestPartitions);
    }
  }

  private void tickEverywhere(
      KafkaProducer<byte[], byte[]> producer, Instant at, int requestPartitions) {
    byte[] value = EventCodec.encode(TestEvents.tick(at));
    for (int i = 0; i < requestPartitions; i++) {
      send(producer, new ProducerRecord<>(topics.requests(), i, at.toEpochMilli(), null, value));
      send(producer, new ProducerRecord<>(topics.scores(), i, at.toEpochMilli(), null, value));
    }
    for (int i = 0; i < DEPLOYMENT_PARTITIONS; i++) {
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

  /** A monitor as {@code run} starts it, without ticks of its own. */
  public MonitorStreams monitor(
      String applicationId,
      Path stateDir,
      PaneSettings settings,
      StepTaker.Maker judges,
      Tally tally)
      throws Exception {
    return new MonitorStreams(
        new MonitorStreams.Options(
            kafka,
            applicationId,
            stateDir.toString(),
            Duration.ZERO,
            Duration.ofMillis(200),
            2,
            false),
        topics,
        settings,
        new MetricLayouts(),
        judges,
        new EventReader(),
        tally,
        Clock.systemUTC());
  }

  public Consumer<byte[], byte[]> consumer() {
    Map<String, Object> config = new HashMap<>(kafka);
    config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * What the windows topic holds now, as sorted hex: equal lists are equal windows, bit for bit.
   */
  public List<String> windows() {
    List<String> windows = new ArrayList<>(read(topics.windows(), WindowSummary.class));
    windows.sort(null);
    return windows;
  }

  /** What the findings topic holds now, as hex, in the order of each partition. */
  public List<String> findings() {
    return read(topics.findings(), Finding.class);
  }

  private List<String> read(String topic, Class<?> type) {
    List<String> found = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer = consumer()) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream()
          .anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (type.isInstance(EventCodec.decode(record.value()))) {
            found.add(HexFormat.of().formatHex(record.value()));
          }
        }
      }
    }
    return found;
  }
}
