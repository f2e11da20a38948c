package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OtlpEndpointTest {
  private static final EndpointSettings SETTINGS =
      new EndpointSettings(
          64 * 1024, 100, 2, Duration.ofSeconds(20), Duration.ofSeconds(20), false);
  private static final String JSON = "application/json";
  private static final String PROTOBUF = "application/x-protobuf";

  private final HttpClient client = HttpClient.newHttpClient();
  private final RecordingSink sink = new RecordingSink();
  private Javalin server;

  @BeforeEach
  void start() {
    Clock clock = Clock.fixed(Instant.parse("2026-11-30T12:00:00Z"), ZoneOffset.UTC);
    EventReader reader = new EventReader();
    server =
        HttpServerFactory.create(
                new HttpSettings("127.0.0.1", 0, List.of(), null),
                config -> {
                  config.routes.post(
                      "/v1/traces", new OtlpEndpoint(false, reader, sink, SETTINGS, clock));
                  config.routes.post(
                      "/v1/logs", new OtlpEndpoint(true, reader, sink, SETTINGS, clock));
                })
            .start();
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  private HttpResponse<byte[]> post(String path, String type, byte[] body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build(),
        HttpResponse.BodyHandlers.ofByteArray());
  }

  private static byte[] line(int index) throws IOException {
    Path fixture = Path.of("src/test/resources/adapters/otlp-genai-1.41.ndjson");
    return Files.readAllLines(fixture).get(index).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void takesSpansAndEvaluationsInJson() throws Exception {
    HttpResponse<byte[]> traces = post("/v1/traces", JSON, line(0));
    HttpResponse<byte[]> logs = post("/v1/logs", JSON + "; charset=utf-8", line(1));

    assertThat(traces.statusCode()).isEqualTo(200);
    assertThat(traces.body()).asString().isEqualTo("{}");
    assertThat(logs.statusCode()).isEqualTo(200);
    assertThat(sink.published(RequestEvent.class))
        .extracting(RequestEvent::getRequestId)
        .contains("resp-1");
    assertThat(sink.published(ScoreEvent.class)).hasSize(2);
    assertThat(sink.published(ConfigRecord.class)).hasSize(1);
  }

  @Test
  void takesProtobuf_andAnswersInIt() throws Exception {
    // resource_spans { scope_spans { spans { trace_id: 0102 name: "llm_request" } } }: no times
    byte[] body = HexFormat.of().parseHex("0a15121312110a0201022a0b6c6c6d5f72657175657374");

    HttpResponse<byte[]> answer = post("/v1/traces", PROTOBUF, body);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue(PROTOBUF);
    assertThat(HexFormat.of().formatHex(answer.body())).isEqualTo("0a020801");
    assertThat(sink.published(DeadLetter.class)).hasSize(1);
    assertThat(post("/v1/traces", PROTOBUF, new byte[0]).body()).isEmpty();
  }

  @Test
  void asksForTheSameAgain_whenTheBrokerDoesNotAcknowledge() throws Exception {
    sink.fate = event -> RecordingSink.dropped(DropReason.BROKER_ERROR);

    HttpResponse<byte[]> answer = post("/v1/traces", JSON, line(0));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
  }

  @Test
  void asksForNothingAgain_thatTheBrokerWillNeverTake() throws Exception {
    sink.fate =
        event ->
            event instanceof RequestEvent
                ? RecordingSink.dropped(DropReason.TOO_LARGE)
                : RecordingSink.ACKNOWLEDGED;

    HttpResponse<byte[]> answer = post("/v1/traces", JSON, line(0));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(new String(answer.body(), StandardCharsets.UTF_8))
        .contains("\"rejectedSpans\":\"2\"");
  }

  @Test
  void refusesWhatIsNoOtlp() throws Exception {
    assertThat(post("/v1/traces", "text/plain", line(0)).statusCode()).isEqualTo(415);
    assertThat(post("/v1/traces", JSON, new byte[] {'['}).statusCode()).isEqualTo(400);
    assertThat(post("/v1/logs", PROTOBUF, new byte[] {0x0B}).statusCode()).isEqualTo(400);
    assertThat(post("/v1/traces", JSON, new byte[70_000]).statusCode()).isEqualTo(413);
    assertThat(sink.published).isEmpty();
  }
}
