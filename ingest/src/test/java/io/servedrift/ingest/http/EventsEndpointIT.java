package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EventsEndpointIT {

  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  @Test
  void storesEverythingIn202AndAnswers503_whenBrokerGoesAway() throws Exception {
    EmbeddedBroker broker = EmbeddedBroker.startTemporary();
    Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
      provisioner.apply(TOPICS);
    }
    try (EventPublisher publisher =
        new EventPublisher(
            PublisherSettings.defaults(broker.bootstrapServers())
                .withDeliveryTimeout(Duration.ofSeconds(2))
                .withCloseTimeout(Duration.ofSeconds(1)),
            TOPICS)) {
      EventsEndpoint endpoint =
          new EventsEndpoint(new EventReader(), publisher, EndpointSettings.DEFAULT);
      Javalin server =
          HttpServerFactory.create(
                  new HttpSettings("127.0.0.1", 0, List.of(), null),
                  config -> config.routes.post("/v1/events", endpoint))
              .start();
      try {
        HttpResponse<String> stored =
            post(server.port(), request("r-1") + "\nnonsense\n" + request("r-2"));
        assertThat(stored.statusCode()).isEqualTo(202);
        assertThat(read(kafka, TOPICS.requests(), 2))
            .extracting(e -> ((RequestEvent) e).getRequestId())
            .containsExactlyInAnyOrder("r-1", "r-2");
        assertThat(read(kafka, TOPICS.configs(), 1))
            .extracting(e -> ((ConfigRecord) e).getConfigId())
            .doesNotContainNull();
        assertThat(read(kafka, TOPICS.deadLetters(), 1))
            .extracting(e -> ((DeadLetter) e).getReason())
            .containsExactly("bad_json");

        broker.close();
        HttpResponse<String> refused = post(server.port(), request("r-3"));
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("\"accepted\":0").contains("broker_error");
      } finally {
        server.stop();
      }
    } finally {
      broker.close();
    }
  }

  private static HttpResponse<String> post(int port, String body) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/events"))
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static String request(String id) {
    return "{\"type\":\"request\",\"request_id\":\""
        + id
        + "\",\"deployment\":\"image-gen\",\"finished_at\":\""
        + Instant.now()
        + "\",\"status\":\"ok\",\"latency_seconds\":3.41,"
        + "\"config\":{\"runtime\":{\"name\":\"sglang\"}}}";
  }

  private static List<SpecificRecord> read(Map<String, Object> kafka, String topic, int wanted) {
    List<SpecificRecord> events = new ArrayList<>();
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
          events.add(EventCodec.decode(record.value()));
        }
      }
    }
    return events;
  }
}
