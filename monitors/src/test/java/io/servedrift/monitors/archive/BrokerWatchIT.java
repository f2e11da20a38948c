package io.servedrift.monitors.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

class BrokerWatchIT {
  /** Without the watch, the consumer would return nothing for ever. */
  @Test
  void noticesThatTheBrokerWentAway() throws Exception {
    EmbeddedBroker broker = EmbeddedBroker.startTemporary();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "default.api.timeout.ms", 1_000),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
        admin.createTopics(List.of(new NewTopic("quiet", 1, (short) 1))).all().get();
      }
      TopicPartition partition = new TopicPartition("quiet", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      assertThat(consumer.position(partition)).isZero();
      BrokerWatch watch = new BrokerWatch(consumer);
      assertThat(watch.poll()).isEmpty();
      broker.close();
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  watch.poll();
                }
              })
          .isInstanceOf(TimeoutException.class);
    } finally {
      broker.close();
    }
  }
}
