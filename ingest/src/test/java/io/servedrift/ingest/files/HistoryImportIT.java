package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.BrokerUnreachableException;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Tick;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryImportIT {
  private static final Path FIXTURE = Path.of("src/test/resources/traces/diffusion-trace.csv");
  private static final Path MAPPING = Path.of("examples/alibaba-gentd26.yaml");
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

  private static EmbeddedBroker broker;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.startTemporary();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Test
  void writesTraceInOrderWithTicksThatLetItsTimePass() throws Exception {
    Topics topics = Topics.forHistory("trace");
    ImportResult result = importer("trace").run(trace(), null, (records, bytes) -> {});

    assertThat(result.writtenByType()).isEqualTo(Map.of("request", 624L));
    assertThat(result.written()).isEqualTo(result.read().accepted());
    assertThat(result.registrations()).isEqualTo(23);

    long ticks = 0;
    List<String> ids = new ArrayList<>();
    for (String topic : List.of(topics.requests(), topics.scores(), topics.servingEvents())) {
      Map<Integer, List<ConsumerRecord<byte[], byte[]>>> partitions = consume(topic);
      List<List<Instant>> ticksByPartition = new ArrayList<>();
      for (List<ConsumerRecord<byte[], byte[]>> partition : partitions.values()) {
        List<Instant> own = requireClockRules(partition, ids, partitions.size());
        ticks += own.size();
        ticksByPartition.add(own);
      }
      assertThat(ticksByPartition).as(topic).hasSize(partitionsOf(topics, topic));
      assertThat(ticksByPartition.stream().distinct()).as("the same in each partition").hasSize(1);
    }
    assertThat(ids).hasSize(624).doesNotHaveDuplicates();
    assertThat(result.ticks()).isEqualTo(ticks);
    assertThat(records(topics.configs())).hasSize(23);
    assertThat(records(topics.deadLetters())).isEmpty();
  }

  /** Checks one partition and returns its ticks. */
  private static List<Instant> requireClockRules(
      List<ConsumerRecord<byte[], byte[]>> partition, List<String> ids, int partitions) {
    List<Instant> ticks = new ArrayList<>();
    Instant last = Instant.MIN;
    for (ConsumerRecord<byte[], byte[]> record : partition) {
      SpecificRecord event = EventCodec.decode(record.value());
      Instant at = EventTimes.of(event);
      assertThat(record.timestamp()).isEqualTo(at.toEpochMilli());
      assertThat(at).as("sorted").isAfterOrEqualTo(last);
      last = at;
      if (event instanceof Tick) {
        assertThat(record.key()).isNull();
        ticks.add(at);
      } else {
        Instant tick = ticks.get(ticks.size() - 1);
        assertThat(at).isBetween(tick, tick.plusSeconds(60).minusMillis(1));
        String key = new String(record.key(), StandardCharsets.UTF_8);
        assertThat(key).isEqualTo(RecordRouting.keyFor(event));
        assertThat(BuiltInPartitioner.partitionForKey(record.key(), partitions))
            .as("the partition of live traffic")
            .isEqualTo(record.partition());
        ids.add(((RequestEvent) event).getRequestId());
      }
    }
    assertThat(ticks.get(ticks.size() - 1))
        .isAfterOrEqualTo(Instant.parse("2026-03-02T02:56:31Z").plusSeconds(60 + 10 + 120 + 900));
    return ticks;
  }

  @Test
  void routesEveryTypeAndKeepsLetters() throws Exception {
    String text =
        """
        {"type":"request","request_id":"r","deployment":"d","finished_at":"2026-11-30T10:00:00Z","status":"ok","latency_seconds":1,"config":{"extra":{"a":1}}}
        {"type":"score","request_id":"r","deployment":"d","name":"clip","value":0.3,"scored_at":"2026-11-30T10:00:05Z"}
        {"type":"serving_event","event_id":"e","at":"2026-11-30T09:59:00Z","deployment":"d","kind":"deploy"}
        {"type":"heartbeat","at":"2026-11-30T10:00:01Z","deployment":"d","node":"n"}
        {"type":"config","at":"2026-11-30T09:00:00Z","deployment":"d","config":{"extra":{"a":2}}}
        {"type":"review","at":"2026-11-30T10:05:00Z","deployment":"d","request_id":"r","verdict":"fine"}
        {"type":"eval","eval_id":"e","at":"2026-11-30T10:05:00Z","name":"g","metric":"m","value":1}
        hello
        """;
    Path file = Files.writeString(folder.resolve("mixed.ndjson"), text);
    EventFiles files = EventFiles.builder(List.of(file), FileFormat.NDJSON, NOW).build();

    ImportResult result = importer("mixed").run(files, null, (records, bytes) -> {});

    Topics topics = Topics.forHistory("mixed");
    assertThat(result.writtenByType())
        .isEqualTo(
            new TreeMap<>(
                Map.of(
                    "request",
                    1L,
                    "score",
                    1L,
                    "serving_event",
                    1L,
                    "heartbeat",
                    1L,
                    "config",
                    1L,
                    "review",
                    1L,
                    "eval",
                    1L)));
    ReadSummary read = result.read();
    assertThat(read.read()).isEqualTo(read.accepted() + read.rejected() + read.skipped());
    assertThat(result.written()).isEqualTo(read.accepted());
    assertThat(events(topics.requests())).hasSize(2);
    assertThat(events(topics.scores())).hasSize(1);
    assertThat(events(topics.servingEvents())).hasSize(1);
    assertThat(events(topics.configs())).hasSize(2);
    assertThat(events(topics.reviews())).hasSize(1);
    assertThat(events(topics.evals())).hasSize(1);
    assertThat(events(topics.deadLetters()))
        .singleElement()
        .isInstanceOfSatisfying(
            DeadLetter.class, l -> assertThat(l.getOrigin()).isEqualTo(file + ":8"));
  }

  @Test
  void writesLettersToFile_whenAsked() throws Exception {
    Path file = Files.writeString(folder.resolve("bad.ndjson"), "hello\n");
    Path letters = folder.resolve("letters.ndjson");
    EventFiles files = EventFiles.builder(List.of(file), FileFormat.NDJSON, NOW).build();

    ImportResult result = importer("letters").run(files, letters, (records, bytes) -> {});

    assertThat(result.deadLetters()).isEqualTo(1);
    assertThat(result.ticks()).isZero();
    assertThat(Files.readAllLines(letters)).hasSize(1);
    assertThat(records(Topics.forHistory("letters").deadLetters())).isEmpty();
  }

  @Test
  void goesOnAfterAnImportThatLeftOnlyDeadLetters() throws Exception {
    Path file = Files.writeString(folder.resolve("bad.ndjson"), "hello\n");
    EventFiles bad = EventFiles.builder(List.of(file), FileFormat.NDJSON, NOW).build();
    importer("again").run(bad, null, (records, bytes) -> {});

    assertThat(importer("again").run(trace(), null, (records, bytes) -> {}).written())
        .isEqualTo(624);
  }

  @Test
  void saysWhere_whenNoBrokerAnswers() {
    HistoryImport nowhere =
        new HistoryImport(
            ImportSettings.of(Map.of("bootstrap.servers", "127.0.0.1:1"), "nowhere"), CLOCK);
    assertThatThrownBy(() -> nowhere.run(trace(), null, (records, bytes) -> {}))
        .isInstanceOf(BrokerUnreachableException.class)
        .hasMessageContaining("127.0.0.1:1");
  }

  @Test
  void refusesPrefixOfLiveTopics_unlessForced() {
    assertThatThrownBy(
            () -> importer(Topics.DEFAULT_PREFIX).run(trace(), null, (records, bytes) -> {}))
        .isInstanceOf(ImportException.class)
        .hasMessageContaining("prefix=servedrift: is the prefix of live topics");
  }

  @Test
  void refusesTopicsThatHoldRecords_unlessForced() throws Exception {
    importer("twice").run(trace(), null, (records, bytes) -> {});

    assertThatThrownBy(() -> importer("twice").run(trace(), null, (records, bytes) -> {}))
        .isInstanceOf(ImportException.class)
        .hasMessageContaining("holds records already");
    ImportResult forced =
        new HistoryImport(ImportSettings.of(kafka(), "twice").withForce(true), CLOCK)
            .run(trace(), null, (records, bytes) -> {});
    assertThat(forced.written()).isEqualTo(624);
  }

  @Test
  void refusesTopicsThatWouldDeleteTheOldestEvent() throws Exception {
    Topics topics = Topics.forHistory("short");
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka())) {
      provisioner.apply(
          List.of(new TopicSpec(topics.requests(), 12, Map.of("retention.ms", "604800000"))));
    }

    assertThatThrownBy(() -> importer("short").run(trace(), null, (records, bytes) -> {}))
        .isInstanceOf(ImportException.class)
        .hasMessageContaining("short-requests-v1: keeps records for 7 days")
        .hasMessageContaining("2026-03-01T09:00:21Z")
        .hasMessageContaining("set retention.ms=-1");
    assertThat(events(topics.requests())).isEmpty();
  }

  private static HistoryImport importer(String prefix) {
    return new HistoryImport(ImportSettings.of(kafka(), prefix), CLOCK);
  }

  private static EventFiles trace() throws MappingException {
    return EventFiles.builder(List.of(FIXTURE), FileFormat.CSV, NOW)
        .mapping(Mapping.load(MAPPING))
        .build();
  }

  private static Map<String, String> kafka() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  private static int partitionsOf(Topics topics, String name) {
    return topics.all().stream()
        .filter(t -> t.name().equals(name))
        .mapToInt(TopicSpec::partitions)
        .sum();
  }

  /** Everything in a topic but ticks. */
  private static List<SpecificRecord> events(String topic) {
    return records(topic).stream()
        .map(r -> EventCodec.decode(r.value()))
        .filter(e -> !(e instanceof Tick))
        .toList();
  }

  private static List<ConsumerRecord<byte[], byte[]>> records(String topic) {
    return consume(topic).values().stream().flatMap(List::stream).toList();
  }

  private static Map<Integer, List<ConsumerRecord<byte[], byte[]>>> consume(String topic) {
    Map<Integer, List<ConsumerRecord<byte[], byte[]>>> all = new LinkedHashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            new HashMap<>(kafka()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(p -> new TopicPartition(topic, p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          all.computeIfAbsent(record.partition(), p -> new ArrayList<>()).add(record);
        }
      }
    }
    return all;
  }
}
