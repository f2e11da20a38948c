package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CloudEventsEndpointTest {
  private static final String STRUCTURED = "application/cloudevents+json; charset=utf-8";

  private final HttpClient client = HttpClient.newHttpClient();
  private final RecordingSink sink = new RecordingSink();
  private volatile Instant now = Instant.parse("2026-09-20T10:20:00Z");
  private Javalin server;

  @BeforeEach
  void start() {
    EndpointSettings settings =
        new EndpointSettings(
            64 * 1024, 100, 2, Duration.ofSeconds(20), Duration.ofSeconds(20), false);
    InstantSource time = () -> now;
    Clock clock = time.withZone(ZoneOffset.UTC);
    CloudEventsEndpoint endpoint =
        new CloudEventsEndpoint(new EventReader(), sink, settings, clock);
    server =
        HttpServerFactory.create(
                new HttpSettings("127.0.0.1", 0, List.of(), null),
                config -> config.routes.post("/v1/cloudevents", endpoint))
            .start();
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  private int post(String body, String... headers) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/cloudevents"))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  private static String[] binary(String id, String type, String time) {
    return new String[] {
      "Content-Type", "application/json",
      "Ce-Specversion", "1.0",
      "Ce-Id", id,
      "Ce-Type", "org.kubeflow.serving.inference." + type,
      "Ce-Source", "http://localhost:9081/",
      "Ce-Time", time,
      "Ce-Inferenceservicename", "llama"
    };
  }

  @Test
  void pairsBinaryEventsOfAnId() throws Exception {
    String response =
        "{\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3}}";

    assertThat(post("{\"prompt\":\"p\"}", binary("k", "request", "2026-09-20T10:19:00Z")))
        .isEqualTo(202);
    assertThat(sink.published).isEmpty();
    assertThat(post(response, binary("k", "response", "2026-09-20T10:19:02.5Z"))).isEqualTo(202);

    assertThat(sink.published).hasSize(1);
    RequestEvent request = (RequestEvent) sink.published.get(0);
    assertThat(request.getRequestId()).isEqualTo("k");
    assertThat(request.getDeployment()).isEqualTo("llama");
    assertThat(request.getLatencySeconds()).isEqualTo(2.5);
    assertThat(request.getWorkload().getPromptTokens()).isEqualTo(3);
  }

  @Test
  void pairsStructuredEvents() throws Exception {
    List<String> lines =
        Files.readAllLines(Path.of("src/test/resources/adapters/kserve-structured-1.0.ndjson"));

    assertThat(post(lines.get(0), "Content-Type", STRUCTURED)).isEqualTo(202);
    assertThat(post(lines.get(1), "Content-Type", STRUCTURED)).isEqualTo(202);

    assertThat(sink.published).hasSize(1);
  }

  @Test
  void givesUpARequestByTheClock_andForgetsOtherEvents() throws Exception {
    assertThat(post("{}", binary("old", "request", "2026-09-20T10:04:00Z"))).isEqualTo(202);
    assertThat(sink.offered).as("it came now, by a slow clock").isEmpty();
    now = now.plusSeconds(901);
    assertThat(post("{}", binary("y", "other", "2026-09-20T10:19:00Z"))).isEqualTo(202);

    assertThat(((RequestEvent) sink.offered.get(0)).getStatus()).isEqualTo(RequestStatus.ERROR);
    assertThat(post("{}", binary("x", "other", "2026-09-20T10:19:00Z"))).isEqualTo(202);
    assertThat(sink.offered).hasSize(1);
  }

  @Test
  void says503_whenThePairIsDropped() throws Exception {
    assertThat(post("{}", binary("k", "request", "2026-09-20T10:19:00Z"))).isEqualTo(202);
    sink.fate = event -> RecordingSink.dropped(DropReason.BUFFER_FULL);

    assertThat(post("{}", binary("k", "response", "2026-09-20T10:19:02Z"))).isEqualTo(503);
  }

  @Test
  void says400_whenThePairIsTooLargeToBePublished() throws Exception {
    assertThat(post("{}", binary("k", "request", "2026-09-20T10:19:00Z"))).isEqualTo(202);
    // Told only when it is encoded, after it was taken.
    sink.fate =
        event ->
            new CompletableFuture<Published>()
                .completeOnTimeout(new Published("unused", 0, 0), 1, TimeUnit.MILLISECONDS)
                .thenCompose(late -> RecordingSink.dropped(DropReason.TOO_LARGE));

    assertThat(post("{}", binary("k", "response", "2026-09-20T10:19:02Z"))).isEqualTo(400);
  }

  @Test
  void blamesNoPosterForWhatAnotherLeft() throws Exception {
    String[] nameless = binary("old", "request", "2026-09-20T10:19:00Z");
    nameless[nameless.length - 1] = "";
    assertThat(post("{}", nameless)).isEqualTo(202);
    now = now.plusSeconds(901);
    assertThat(post("{}", binary("k", "request", "2026-09-20T10:34:00Z"))).isEqualTo(202);

    assertThat(sink.offered).hasSize(1).allMatch(DeadLetter.class::isInstance);
  }

  @Test
  void refusesWhatIsNoCloudEvent() throws Exception {
    assertThat(post("{}", "Content-Type", "application/json")).isEqualTo(400);
    assertThat(post("no json", "Content-Type", STRUCTURED)).isEqualTo(400);
    assertThat(post("{}", binary("k", "request", "yesterday, or so"))).isEqualTo(400);
    assertThat(post("x".repeat(70_000), "Content-Type", STRUCTURED)).isEqualTo(413);
    assertThat(sink.offered).hasSize(2).allMatch(DeadLetter.class::isInstance);
  }
}
