package io.servedrift.serving.score.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.serving.score.AsyncScorer;
import io.servedrift.serving.score.AsyncScorerSettings;
import io.servedrift.serving.score.Fixtures;
import io.servedrift.serving.score.ScorerModel;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scores on their way to a real broker, and without one. */
@Timeout(120)
class ScorePublishingIT {

  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  @Test
  void scoresReachTheBroker_andGoOnBeingMadeWithoutOne() throws Exception {
    EmbeddedBroker broker = EmbeddedBroker.startTemporary();
    Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
      provisioner.apply(TOPICS);
    }
    try (ScorerModel model = ScorerModel.load(Fixtures.path("small"));
        EventPublisher publisher =
            new EventPublisher(
                PublisherSettings.defaults(broker.bootstrapServers())
                    .withDeliveryTimeout(Duration.ofSeconds(2))
                    .withCloseTimeout(Duration.ofSeconds(1)),
                TOPICS);
        AsyncScorer async =
            new AsyncScorer(model, publisher, AsyncScorerSettings.defaults("image-gen"));
        ScorerService service =
            ScorerService.start(
                model,
                publisher,
                new ScorerServiceSettings(
                    new HttpSettings("127.0.0.1", 0, List.of(), null),
                    null,
                    ScoreLimits.DEFAULT))) {
      async.offer("r-1", "a red circle", Fixtures.image("64x64.png"));
      assertThat(post(service.port())).contains("\"published\":true");
      List<ScoreEvent> events = read(kafka, TOPICS.scores(), 4);
      assertThat(events)
          .extracting(ScoreEvent::getDeployment, ScoreEvent::getRequestId, ScoreEvent::getName)
          .containsExactlyInAnyOrder(
              tuple("image-gen", "r-1", "clip"),
              tuple("image-gen", "r-1", "aesthetic"),
              tuple("sglang", "r-2", "clip"),
              tuple("sglang", "r-2", "aesthetic"));
      // The same image and prompt, over both ways.
      assertThat(valueOf(events, "r-2", "clip")).isEqualTo(valueOf(events, "r-1", "clip"));

      broker.close();
      for (int i = 0; i < 50; i++) {
        assertThat(async.offer("later-" + i, "a star", Fixtures.image("64x64.png"))).isTrue();
      }
      await().until(() -> async.counts().scored() == 51);
      await().atMost(Duration.ofSeconds(30)).until(() -> publisher.metrics().inFlight() == 0);
      assertThat(publisher.metrics().dropped()).isEqualTo(100);
    } finally {
      broker.close();
    }
  }

  private static double valueOf(List<ScoreEvent> events, String requestId, String name) {
    return events.stream()
        .filter(e -> e.getRequestId().equals(requestId) && e.getName().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  private static String post(int port) throws Exception {
    String image = Base64.getEncoder().encodeToString(Fixtures.bytes("64x64.png"));
    String body =
        "{\"prompt\":\"a red circle\",\"deployment\":\"sglang\",\"request_id\":\"r-2\",\"image\":\""
            + image
            + "\"}";
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/scores"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static List<ScoreEvent> read(Map<String, Object> kafka, String topic, int wanted) {
    List<ScoreEvent> events = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(kafka, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(p -> new TopicPartition(p.topic(), p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Instant deadline = Instant.now().plusSeconds(30);
      while (events.size() < wanted && Instant.now().isBefore(deadline)) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          events.add((ScoreEvent) EventCodec.decode(record.value()));
        }
      }
    }
    return events;
  }
}
