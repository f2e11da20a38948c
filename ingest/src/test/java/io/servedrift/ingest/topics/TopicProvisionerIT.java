package io.servedrift.ingest.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicDifference.Kind;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopicProvisionerIT {

  private static EmbeddedBroker broker;
  private static TopicProvisioner provisioner;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.startTemporary();
    provisioner = TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  @AfterAll
  static void stop() {
    provisioner.close();
    broker.close();
  }

  @Test
  void createsWholeCatalogueOnce_whenAppliedTwice() {
    Topics topics = new Topics("whole");

    assertThat(provisioner.check(topics))
        .hasSameSizeAs(topics.all())
        .allMatch(d -> d.kind() == Kind.MISSING && !d.repaired());
    assertThat(provisioner.apply(topics))
        .hasSameSizeAs(topics.all())
        .allMatch(TopicDifference::repaired);
    assertThat(provisioner.check(topics)).isEmpty();
    assertThat(provisioner.apply(topics)).isEmpty();
  }

  @Test
  void returnsWhenEveryPartitionTakesRecords_whenTopicsAreNewAndWhenTheBrokerIs(
      @TempDir Path folder) throws Exception {
    List<TopicSpec> topics = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      topics.add(spec("lead-" + i, 12, Map.of()));
    }
    for (int start = 0; start < 2; start++) {
      try (EmbeddedBroker each = EmbeddedBroker.start(folder);
          TopicProvisioner fresh =
              TopicProvisioner.connect(Map.of("bootstrap.servers", each.bootstrapServers()))) {
        fresh.apply(topics);
        assertThat(refused(each, topics)).as("start %d", start).isEmpty();
      }
    }
  }

  /** Sends once to each partition, without a second try. */
  private static List<String> refused(EmbeddedBroker broker, List<TopicSpec> topics)
      throws InterruptedException {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "enable.idempotence",
            false,
            "retries",
            0);
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (TopicSpec topic : topics) {
        for (int partition = 0; partition < topic.partitions(); partition++) {
          sent.add(
              producer.send(new ProducerRecord<>(topic.name(), partition, null, new byte[] {1})));
        }
      }
      for (Future<RecordMetadata> each : sent) {
        try {
          each.get();
        } catch (ExecutionException e) {
          refused.add(String.valueOf(e.getCause()));
        }
      }
    }
    return refused;
  }

  @Test
  void reportsAndAltersSetting_whenItDiffers() {
    provisioner.apply(List.of(spec("setting", 1, Map.of("retention.ms", "1000"))));
    List<TopicSpec> wanted = List.of(spec("setting", 1, Map.of("retention.ms", "2000")));

    assertThat(provisioner.check(wanted))
        .extracting(TopicDifference::text)
        .containsExactly("setting-v1: retention.ms=1000, wanted 2000");
    assertThat(provisioner.apply(wanted))
        .extracting(TopicDifference::text)
        .containsExactly("setting-v1: retention.ms=1000, wanted 2000 (repaired)");
    assertThat(provisioner.check(wanted)).isEmpty();
  }

  @Test
  void reportsButNeverChangesPartitions_whenCountDiffers() {
    provisioner.apply(List.of(spec("count", 2, Map.of())));
    List<TopicSpec> wanted = List.of(spec("count", 3, Map.of()));

    assertThat(provisioner.apply(wanted))
        .singleElement()
        .satisfies(
            d -> {
              assertThat(d.kind()).isEqualTo(Kind.PARTITIONS);
              assertThat(d.repaired()).isFalse();
              assertThat(d.text()).contains("2 partitions, wanted 3");
            });
    assertThat(provisioner.check(wanted)).extracting(TopicDifference::actual).containsExactly("2");
  }

  @Test
  void createsMissingTopicWithCountOfItsPartner_whenTheyAreJoined() {
    TopicSpec left = spec("left", 2, Map.of());
    provisioner.apply(List.of(left));
    List<TopicSpec> wanted = List.of(left, spec("right", 5, Map.of()));

    provisioner.apply(wanted, List.of(Set.of("left-v1", "right-v1")));

    assertThat(provisioner.check(wanted, List.of(Set.of("left-v1", "right-v1"))))
        .extracting(TopicDifference::topic, TopicDifference::kind, TopicDifference::actual)
        .containsExactly(tuple("right-v1", Kind.PARTITIONS, "2"));
  }

  @Test
  void reportsUnequalPartitions_whenTopicsAreJoined() {
    List<TopicSpec> unequal = List.of(spec("one", 1, Map.of()), spec("two", 2, Map.of()));
    provisioner.apply(unequal);

    assertThat(provisioner.check(unequal, List.of(Set.of("one-v1", "two-v1"))))
        .singleElement()
        .satisfies(
            d -> {
              assertThat(d.kind()).isEqualTo(Kind.UNEQUAL_PARTITIONS);
              assertThat(d.topic()).isEqualTo("one-v1, two-v1");
              assertThat(d.actual()).isEqualTo("1, 2");
            });
  }

  @Test
  void saysWhatTheBrokerRefused_whenSettingIsWrong() {
    assertThatThrownBy(
            () -> provisioner.apply(List.of(spec("wrong", 1, Map.of("cleanup.policy", "burn")))))
        .isInstanceOf(KafkaException.class)
        .hasMessageContaining("cleanup.policy");
  }

  @Test
  void throwsTypedExceptionNamingAddress_whenNoBrokerListens() {
    try (TopicProvisioner nobody =
        TopicProvisioner.connect(
            Map.of("bootstrap.servers", "127.0.0.1:1"), Duration.ofMillis(500))) {
      assertThatThrownBy(() -> nobody.check(new Topics("t")))
          .isInstanceOf(BrokerUnreachableException.class)
          .hasMessageContaining("127.0.0.1:1")
          .hasMessageContaining("within 500 ms");
    }
  }

  @Test
  void throwsTypedException_whenAddressCannotBeResolved() {
    assertThatThrownBy(
            () -> {
              try (TopicProvisioner nobody =
                  TopicProvisioner.connect(
                      Map.of("bootstrap.servers", "no-such-host.invalid:9092"),
                      Duration.ofMillis(500))) {
                nobody.check(new Topics("t"));
              }
            })
        .isInstanceOf(BrokerUnreachableException.class)
        .hasMessageContaining("no-such-host.invalid");
  }

  private static TopicSpec spec(String name, int partitions, Map<String, String> config) {
    return new TopicSpec(name + "-v1", partitions, config);
  }
}
