package io.servedrift.monitors.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.TestEvents;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.avro.RequestEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing that anybody writes to an input topic stops a live monitor or the rest of the feed. */
class HostileInputIT {
  private static final PaneSettings QUICK =
      new PaneSettings(
          Duration.ofSeconds(1),
          List.of(Duration.ofSeconds(2)),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          1000,
          10,
          10,
          10);

  @TempDir Path dir;

  @Test
  void goesOn_whateverIsWrittenToItsTopics() throws Exception {
    Tally tally = new Tally();
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary()) {
      LiveTopics live = new LiveTopics(broker.bootstrapServers());
      live.create(2);
      try (MonitorStreams monitor =
              new MonitorStreams(
                  new MonitorStreams.Options(
                      live.kafka,
                      "hostile",
                      dir.toString(),
                      Duration.ofMillis(200),
                      Duration.ofMillis(200),
                      1,
                      false),
                  live.topics,
                  QUICK,
                  new MetricLayouts(),
                  JudgedRun.BY_DEFAULT,
                  new EventReader(),
                  tally,
                  Clock.systemUTC());
          KafkaProducer<byte[], byte[]> producer =
              new KafkaProducer<>(
                  live.kafka, new ByteArraySerializer(), new ByteArraySerializer())) {
        monitor.start();
        await().atMost(Duration.ofSeconds(60)).until(monitor::isReady);
        List<byte[]> hostile = hostile();
        for (String topic :
            List.of(
                live.topics.requests(),
                live.topics.scores(),
                live.topics.servingEvents(),
                live.topics.panes())) {
          for (byte[] value : hostile) {
            producer
                .send(new ProducerRecord<>(topic, "k".getBytes(StandardCharsets.UTF_8), value))
                .get();
          }
        }
        for (int i = 0; i < 50; i++) {
          RequestEvent good =
              TestEvents.request("good-" + i, Instant.now().truncatedTo(ChronoUnit.MICROS), 1.5);
          producer
              .send(
                  new ProducerRecord<>(
                      live.topics.requests(),
                      ("good-" + i).getBytes(StandardCharsets.UTF_8),
                      EventCodec.encode(good)))
              .get();
        }
        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(
                () -> {
                  assertThat(monitor.failure()).isNull();
                  assertThat(tally.get("requests_accepted")).isEqualTo(50);
                  assertThat(tally.get("dead_letters_future_time")).isEqualTo(2);
                  assertThat(live.windows()).isNotEmpty();
                });
        assertThat(monitor.isReady()).isTrue();
      }
    }
  }

  private static List<byte[]> hostile() {
    List<byte[]> hostile = new ArrayList<>();
    hostile.add(null);
    hostile.add(new byte[0]);
    hostile.add(new byte[] {(byte) 0xC3, 1, 0, 0, 0, 0, 0, 0, 0, 0});
    hostile.add(new byte[] {0, 0, 0, 0, 7, 1, 2, 3});
    hostile.add("{\"type\":".getBytes(StandardCharsets.UTF_8));
    hostile.add("[".repeat(100_000).getBytes(StandardCharsets.UTF_8));
    hostile.add("{\"type\":\"request\",\"request_id\":\"x\"}".getBytes(StandardCharsets.UTF_8));
    RequestEvent future = TestEvents.request("future", Instant.parse("2090-01-01T00:00:00Z"), 1.5);
    hostile.add(EventCodec.encode(future));
    RequestEvent binary = TestEvents.request("binary", Instant.parse("2089-01-01T00:00:00Z"), 1.5);
    binary.setScores(Map.of("json_valid", 0.5));
    hostile.add(EventCodec.encode(binary));
    return hostile;
  }
}
