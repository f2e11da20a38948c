package io.servedrift.ingest.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With limits for a machine that has ten times its load. */
@Timeout(value = 360, unit = TimeUnit.SECONDS)
class EmbeddedBrokerIT {

  private static final String TOPIC = "kept-v1";

  @TempDir Path dir;
  @TempDir Path log;

  @Test
  void keepsDataAndAddress_whenClosedAndStartedAgain() throws Exception {
    String first;
    try (EmbeddedBroker broker = EmbeddedBroker.start(dir)) {
      first = broker.bootstrapServers();
      createTopic(first);
      produce(first, "a", "b");
    }
    try (EmbeddedBroker broker = EmbeddedBroker.start(dir)) {
      produce(broker.bootstrapServers(), "c");

      assertThat(broker.bootstrapServers()).isEqualTo(first);
      assertThat(consume(broker.bootstrapServers(), 3)).containsExactly("a", "b", "c");
    }
  }

  @Test
  void endsTheSessionOfAKilledBroker_andKeepsWhatItAcknowledged() throws Exception {
    List<String> written = new ArrayList<>();
    for (int kill = 0; kill < 2; kill++) {
      try (BrokerToKill broker = BrokerToKill.start(dir, log.resolve("err"))) {
        assertThat(broker.endedFormerSession())
            .as("of the one that was killed, start %s", kill)
            .isEqualTo(kill > 0);
        if (kill == 0) {
          createTopic(broker.bootstrapServers());
        }
        for (int i = 0; i < 20; i++) {
          written.add(kill + "-" + i);
        }
        produce(
            broker.bootstrapServers(),
            written.subList(kill * 20, written.size()).toArray(String[]::new));
        commit(broker.bootstrapServers(), written.size());
      }
    }
    Path data = dir.resolve("data");
    assertThat(FormerSession.isLeftIn(data)).isTrue();

    try (EmbeddedBroker broker = EmbeddedBroker.start(dir)) {
      assertThat(broker.endedFormerSession()).isTrue();
      assertThat(consume(broker.bootstrapServers(), 40)).isEqualTo(written);
      assertThat(committed(broker.bootstrapServers())).isEqualTo(40);
      produce(broker.bootstrapServers(), "after");
      assertThat(consume(broker.bootstrapServers(), 41)).endsWith("after");
    }
    assertThat(FormerSession.isLeftIn(data)).as("after an orderly end").isFalse();
    try (EmbeddedBroker broker = EmbeddedBroker.start(dir)) {
      assertThat(broker.endedFormerSession()).as("after an orderly end").isFalse();
    }
  }

  private static KafkaConsumer<String, String> ofGroup(String bootstrap) {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", bootstrap, "group.id", "g", "enable.auto.commit", false),
        new StringDeserializer(),
        new StringDeserializer());
  }

  private static void commit(String bootstrap, long offset) {
    try (KafkaConsumer<String, String> consumer = ofGroup(bootstrap)) {
      consumer.commitSync(Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(offset)));
    }
  }

  private static long committed(String bootstrap) {
    TopicPartition partition = new TopicPartition(TOPIC, 0);
    try (KafkaConsumer<String, String> consumer = ofGroup(bootstrap)) {
      return consumer.committed(Set.of(partition)).get(partition).offset();
    }
  }

  @Test
  void refusesSecondBrokerAndSparesTheFirst_whenFolderIsInUse() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(dir)) {
      createTopic(broker.bootstrapServers());

      assertThatThrownBy(() -> EmbeddedBroker.start(dir))
          .isInstanceOf(EmbeddedBrokerException.class)
          .hasMessageContaining(dir.toString())
          .hasMessageContaining("in use by another embedded broker");

      produce(broker.bootstrapServers(), "still here");
      assertThat(consume(broker.bootstrapServers(), 1)).containsExactly("still here");
    }
  }

  @Test
  void commitsTransactions_whenProducerIsTransactional() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(dir)) {
      createTopic(broker.bootstrapServers());
      Map<String, Object> config =
          Map.of("bootstrap.servers", broker.bootstrapServers(), "transactional.id", "t-1");
      try (KafkaProducer<String, String> producer =
          new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
        producer.initTransactions();
        producer.beginTransaction();
        Future<RecordMetadata> sent = producer.send(new ProducerRecord<>(TOPIC, "committed"));
        sent.get();
        producer.commitTransaction();
      }

      assertThat(consume(broker.bootstrapServers(), 1)).containsExactly("committed");
    }
  }

  @Test
  void refusesUnknownTopic_whenNobodyCreatedIt() {
    try (EmbeddedBroker broker = EmbeddedBroker.start(dir);
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      assertThatThrownBy(() -> admin.describeTopics(List.of("nobody-v1")).allTopicNames().get())
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }
  }

  @Test
  void leavesNothingBehind_whenTemporaryBrokerIsClosed() throws Exception {
    Path before;
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary()) {
      createTopic(broker.bootstrapServers());
      before = broker.folder();
      assertThat(before).isDirectory();
    }
    assertThat(before).doesNotExist();
  }

  @Test
  void choosesAnotherPort_whenRememberedOneIsTaken() throws Exception {
    Path other = dir.resolve("other");
    try (EmbeddedBroker broker = EmbeddedBroker.start(dir.resolve("one"))) {
      Files.createDirectories(other);
      Files.copy(dir.resolve("one/ports.properties"), other.resolve("ports.properties"));
      try (EmbeddedBroker second = EmbeddedBroker.start(other)) {
        assertThat(second.bootstrapServers()).isNotEqualTo(broker.bootstrapServers());
        createTopic(second.bootstrapServers());
      }
    }
  }

  private static void createTopic(String bootstrap) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin
          .createTopics(List.of(new NewTopic(TOPIC, Optional.of(1), Optional.empty())))
          .all()
          .get();
    }
  }

  private static void produce(String bootstrap, String... values) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringSerializer(),
            new StringSerializer())) {
      for (String value : values) {
        producer.send(new ProducerRecord<>(TOPIC, value)).get();
      }
    }
  }

  private static List<String> consume(String bootstrap, int wanted) {
    List<String> values = new ArrayList<>();
    TopicPartition partition = new TopicPartition(TOPIC, 0);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      Instant deadline = Instant.now().plusSeconds(60);
      while (values.size() < wanted && Instant.now().isBefore(deadline)) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          values.add(record.value());
        }
      }
    }
    return values;
  }
}
