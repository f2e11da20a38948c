package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.serving.node.FakeEngine;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole node but for its model, against a real broker. */
@Tag("alone")
class RunningNodeIT {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final FakeEngine engine = new FakeEngine();
  private final HttpClient client = HttpClient.newHttpClient();

  private RunningNode start(String bootstrapServers) {
    Map<String, String> settings = new HashMap<>();
    settings.put("model", "none");
    settings.put("bootstrap-servers", bootstrapServers);
    settings.put("deployment", "it");
    settings.put("node", "n7");
    settings.put("port", "0");
    settings.put("heartbeat", "1s");
    // Events are given up fast, so that drops can be seen.
    Map<String, String> kafka =
        Map.of("delivery.timeout.ms", "1500", "request.timeout.ms", "500", "linger.ms", "0");
    return RunningNode.start(
        ServeOptions.of(
            new SettingSources(ServeSettings.all()).read(settings, kafka, Map.of(), null)),
        (options, faults) -> engine.parts());
  }

  private static void createTopics(EmbeddedBroker broker) {
    try (TopicProvisioner provisioner =
        TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      provisioner.apply(EventTopics.TOPICS);
    }
  }

  private int generate(RunningNode node, String requestId) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node.address() + "/v1/images/generations"))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .header("X-Request-Id", requestId)
            .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"a blue square\"}"))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  private JsonNode events(RunningNode node) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node.address() + "/server_info")).GET().build();
    return JSON.readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
        .path("events");
  }

  @Test
  void publishesItsWholeLife() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary()) {
      createTopics(broker);
      try (EventTopics topics = new EventTopics(broker.bootstrapServers())) {
        try (RunningNode node = start(broker.bootstrapServers())) {
          assertThat(generate(node, "r-1")).isEqualTo(200);
          assertThat(generate(node, "r-2")).isEqualTo(200);
          topics.await(Heartbeat.class, found -> found.size() >= 2);
        }
        List<ServingEvent> life = topics.await(ServingEvent.class, found -> found.size() == 2);
        assertThat(life)
            .extracting(ServingEvent::getKind)
            .containsExactly(ServingEventKind.NODE_STARTED, ServingEventKind.NODE_STOPPED);
        ConfigRecord config = topics.await(ConfigRecord.class, found -> found.size() == 1).get(0);
        List<RequestEvent> requests = topics.await(RequestEvent.class, found -> found.size() == 2);
        assertThat(requests)
            .allSatisfy(
                event -> {
                  assertThat(event.getDeployment()).isEqualTo("it");
                  assertThat(event.getNode()).isEqualTo("n7");
                  assertThat(event.getStatus()).isEqualTo(RequestStatus.OK);
                  assertThat(event.getConfigId()).isEqualTo(config.getConfigId());
                  assertThat(event.getModelId()).isEqualTo(config.getModelId());
                });
        assertThat(requests)
            .extracting(event -> event.getWorkload().getPromptHash())
            .containsOnly(requests.get(0).getWorkload().getPromptHash());
      }
    }
  }

  @Test
  void servesOn_countsWhatIsLost_andRecovers_whenTheBrokerGoesAndComes(@TempDir Path dir)
      throws Exception {
    String servers;
    try (EmbeddedBroker first = EmbeddedBroker.start(dir)) {
      createTopics(first);
      servers = first.bootstrapServers();
    }
    try (RunningNode node = start(servers)) {
      for (int i = 0; i < 20; i++) {
        assertThat(generate(node, "down-" + i)).isEqualTo(200);
      }
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> events(node).at("/dropped/broker_error").asLong() >= 20);

      try (EmbeddedBroker again = EmbeddedBroker.start(dir);
          EventTopics topics = new EventTopics(again.bootstrapServers())) {
        assertThat(again.bootstrapServers()).isEqualTo(servers);
        // What the fingerprints mean was lost at the start, and is told again.
        ConfigRecord config = topics.await(ConfigRecord.class, found -> !found.isEmpty()).get(0);
        assertThat(generate(node, "up")).isEqualTo(200);
        RequestEvent event =
            topics
                .await(
                    RequestEvent.class,
                    found -> found.stream().anyMatch(each -> each.getRequestId().equals("up")))
                .stream()
                .filter(each -> each.getRequestId().equals("up"))
                .findFirst()
                .orElseThrow();
        assertThat(event.getConfigId()).isEqualTo(config.getConfigId());
        JsonNode books = events(node);
        long dropped = 0;
        for (JsonNode reason : books.path("dropped")) {
          dropped += reason.asLong();
        }
        assertThat(books.path("offered").asLong())
            .isEqualTo(
                books.path("published").asLong() + books.path("in_flight").asLong() + dropped);
      }
    }
  }
}
