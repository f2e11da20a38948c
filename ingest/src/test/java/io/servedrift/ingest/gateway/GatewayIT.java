package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.Topics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With a broker that comes and goes. */
class GatewayIT {

  @Test
  void publishesToTheBroker_andServesOnWithoutIt() throws Exception {
    Topics topics = new Topics(Topics.DEFAULT_PREFIX);
    EmbeddedBroker broker = EmbeddedBroker.startTemporary();
    try (TopicProvisioner provisioner =
        TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      provisioner.apply(topics);
    }
    PublisherSettings settings =
        PublisherSettings.defaults(broker.bootstrapServers())
            .withDeliveryTimeout(Duration.ofSeconds(2))
            .withCloseTimeout(Duration.ofSeconds(2));
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(200, "{\"model\":\"m\",\"choices\":[]}");
                });
        EventPublisher publisher = new EventPublisher(settings, topics);
        Gateway gateway =
            new Gateway(
                GatewaySettings.of(upstream.uri(), "test").withAddress("127.0.0.1", 0),
                publisher,
                GatewayExtras.NONE,
                Clock.systemUTC())) {
      gateway.start();
      ask(gateway, 10);
      // Ten requests and what their model is.
      await().atMost(Duration.ofSeconds(60)).until(() -> publisher.metrics().published() == 11);
      broker.close();
      ask(gateway, 30);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> publisher.metrics().dropped() + publisher.metrics().published() == 41);
      assertThat(publisher.metrics().dropped()).isEqualTo(30);
      assertThat(gateway.counts().get(Count.HANDED_OVER)).isEqualTo(40);
      assertThat(gateway.counts().get(Count.MEASURING_DROPPED)).isZero();
    } finally {
      broker.close();
    }
  }

  private static void ask(Gateway gateway, int times) throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    URI uri = URI.create("http://127.0.0.1:" + gateway.port() + "/v1/chat/completions");
    for (int i = 0; i < times; i++) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString("{}")).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{\"model\":\"m\",\"choices\":[]}");
    }
  }
}
