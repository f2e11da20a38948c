package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EventsEndpointTest {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final String JSON = "application/json";
  private static final String NDJSON = "application/x-ndjson";
  private static final EndpointSettings SETTINGS =
      new EndpointSettings(
          64 * 1024, 100, 2, Duration.ofSeconds(20), Duration.ofSeconds(20), false);

  private final HttpClient client = HttpClient.newHttpClient();
  private final RecordingSink sink = new RecordingSink();
  private EventsEndpoint endpoint;
  private Javalin server;

  @BeforeEach
  void start() {
    start(SETTINGS);
  }

  private void start(EndpointSettings settings) {
    endpoint =
        new EventsEndpoint(new EventReader(), sink, settings, Clock.fixed(NOW, ZoneOffset.UTC));
    server =
        HttpServerFactory.create(
                new HttpSettings("127.0.0.1", 0, List.of(), null),
                config -> config.routes.post("/v1/events", endpoint))
            .start();
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  @Test
  void acceptsOneObject_whenItIsValid() throws Exception {
    HttpResponse<String> answer = post(JSON, request("r-1"));

    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(answer.body()).isEqualTo("{\"accepted\":1,\"rejected\":[]}");
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(sink.published(RequestEvent.class))
        .extracting(RequestEvent::getRequestId)
        .containsExactly("r-1");
  }

  @Test
  void acceptsArrayAndNamesRejectedItem_whenOneIsInvalid() throws Exception {
    HttpResponse<String> answer =
        post(JSON, "[" + request("r-1") + ", {\"type\":\"nonsense\"} ," + request("r-2") + "]");

    assertThat(answer.statusCode()).isEqualTo(202);
    JsonNode body = MAPPER.readTree(answer.body());
    assertThat(body.get("accepted").asInt()).isEqualTo(2);
    assertThat(body.get("rejected")).hasSize(1);
    assertThat(body.get("rejected").get(0).get("index").asInt()).isEqualTo(1);
    assertThat(body.get("rejected").get(0).get("reason").asText()).isEqualTo("unknown_type");
    assertThat(body.get("rejected").get(0).get("detail").asText()).contains("nonsense");
  }

  @Test
  void keepsDeadLetter_whenItemIsRejected() throws Exception {
    post(JSON, "{\"type\":\"nonsense\"}");

    assertThat(sink.offered).hasSize(1);
    DeadLetter letter = (DeadLetter) sink.offered.get(0);
    assertThat(letter.getReason()).isEqualTo("unknown_type");
    assertThat(letter.getOrigin()).isEqualTo("http");
    assertThat(letter.getAt()).isEqualTo(NOW);
    assertThat(letter.getLength()).isEqualTo("{\"type\":\"nonsense\"}".length());
  }

  @Test
  void rejectsOnlyTheBrokenLine_whenNdjsonIsBrokenInTheMiddle() throws Exception {
    HttpResponse<String> answer =
        post(NDJSON, request("r-1") + "\r\n\n{\"type\":\"requ\n" + request("r-2"));

    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(answer.body())
        .contains("\"accepted\":2")
        .contains("\"index\":1,\"reason\":\"bad_json\"");
    assertThat(sink.published(RequestEvent.class))
        .extracting(RequestEvent::getRequestId)
        .containsExactly("r-1", "r-2");
  }

  @Test
  void keepsWhatCameBefore_whenArrayBreaksOff() throws Exception {
    HttpResponse<String> answer = post(JSON, "[" + request("r-1") + "," + "{\"type\":\"re");

    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(answer.body())
        .contains("\"accepted\":1")
        .contains("\"index\":1,\"reason\":\"bad_json\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  \n ",
        "[]",
        "{",
        "null",
        "7",
        "[7]",
        "{\"type\":\"nonsense\"}",
        "]",
        "\u0000"
      })
  void answers400_whenNothingIsUsable(String body) throws Exception {
    assertThat(post(JSON, body).statusCode()).isEqualTo(400);
    assertThat(post(NDJSON, body).statusCode()).isEqualTo(400);
    assertThat(sink.published).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "APPLICATION/JSON;charset=\"UTF-8\"",
        "application/json; charset=us-ascii"
      })
  void accepts_whenContentTypeIsJson(String type) throws Exception {
    assertThat(post(type, request("r-1")).statusCode()).isEqualTo(202);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/avro",
        "application/json; charset=iso-8859-1",
        "application/json; charset=utf-16"
      })
  void answers415_whenContentTypeIsAnythingElse(String type) throws Exception {
    HttpResponse<String> answer = post(type, request("r-1"));

    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(answer.body()).startsWith("{\"error\":\"Content-Type").contains("must be");
    assertThat(sink.published).isEmpty();
  }

  @Test
  void answers415_whenContentTypeIsMissing() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri())
            .POST(HttpRequest.BodyPublishers.ofString(request("r")))
            .build();

    assertThat(send(request).statusCode()).isEqualTo(415);
  }

  @Test
  void unpacksBody_whenItIsGzip() throws Exception {
    HttpResponse<String> answer =
        post(JSON, "gzip", gzip(request("r-1").getBytes(StandardCharsets.UTF_8)));

    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(sink.published(RequestEvent.class)).hasSize(1);
  }

  @Test
  void answers413_whenGzipUnpacksToMoreThanTheLimit() throws Exception {
    byte[] bomb = gzip(new byte[20 * 1024 * 1024]);
    assertThat(bomb.length).isLessThan(SETTINGS.maxBodyBytes());

    assertThat(post(JSON, "gzip", bomb).statusCode()).isEqualTo(413);
  }

  @Test
  void answers413_whenGzipIsLongButUnpacksToNothing() throws Exception {
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    byte[] empty = gzip(new byte[0]);
    while (members.size() <= SETTINGS.maxBodyBytes()) {
      members.writeBytes(empty);
    }

    assertThat(post(JSON, "gzip", members.toByteArray()).statusCode()).isEqualTo(413);
  }

  @Test
  void answers400_whenGzipIsBroken() throws Exception {
    byte[] whole = gzip(request("r-1").getBytes(StandardCharsets.UTF_8));
    byte[] cut = Arrays.copyOf(whole, whole.length - 12);

    assertThat(post(JSON, "gzip", cut).statusCode()).isEqualTo(400);
    assertThat(post(JSON, "gzip", new byte[] {1, 2, 3}).statusCode()).isEqualTo(400);
    assertThat(sink.published).isEmpty();
  }

  @Test
  void answers415_whenContentEncodingIsUnknown() throws Exception {
    assertThat(post(JSON, "br", new byte[] {1}).statusCode()).isEqualTo(415);
  }

  @Test
  void answers413_whenBodyIsLargerThanTheLimit() throws Exception {
    byte[] large = new byte[3 * 1024 * 1024];

    assertThat(post(JSON, null, large).statusCode()).isEqualTo(413);
    HttpRequest chunked =
        HttpRequest.newBuilder(uri())
            .header("Content-Type", NDJSON)
            .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))
            .build();
    assertThat(send(chunked).statusCode()).isEqualTo(413);
  }

  @Test
  void answers413AndPublishesNothing_whenThereAreTooManyItems() throws Exception {
    String lines = (request("r") + "\n").repeat(101);

    assertThat(post(NDJSON, lines).statusCode()).isEqualTo(413);
    assertThat(post(JSON, "[" + "{},".repeat(100) + "{}]").statusCode()).isEqualTo(413);
    assertThat(sink.published).isEmpty();
  }

  @Test
  void answers429AndTriesNoFurther_whenBufferIsFull() throws Exception {
    sink.fate =
        event ->
            ((RequestEvent) event).getRequestId().equals("r-2")
                ? RecordingSink.dropped(DropReason.BUFFER_FULL)
                : RecordingSink.ACKNOWLEDGED;
    HttpResponse<String> answer =
        post(NDJSON, request("r-1") + "\n" + request("r-2") + "\n{}\n" + request("r-3"));

    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
    JsonNode body = MAPPER.readTree(answer.body());
    assertThat(body.get("accepted").asInt()).isEqualTo(1);
    assertThat(body.get("rejected")).hasSize(1);
    assertThat(body.get("failed").toString())
        .isEqualTo(
            "[{\"index\":1,\"reason\":\"buffer_full\"},{\"index\":3,\"reason\":\"buffer_full\"}]");
    assertThat(sink.published).hasSize(2);
  }

  @Test
  void answers503AndSaysWhatIsStored_whenBrokerFailsForSome() throws Exception {
    sink.fate =
        event ->
            ((RequestEvent) event).getRequestId().equals("r-2")
                ? RecordingSink.dropped(DropReason.BROKER_ERROR)
                : RecordingSink.ACKNOWLEDGED;
    HttpResponse<String> answer = post(NDJSON, request("r-1") + "\n" + request("r-2"));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(answer.body())
        .isEqualTo(
            "{\"accepted\":1,\"rejected\":[],\"failed\":[{\"index\":1,\"reason\":\"broker_error\"}]}");
  }

  @Test
  void answers503_whenAcknowledgementDoesNotComeInTime() throws Exception {
    server.stop();
    start(new EndpointSettings(1024, 10, 2, Duration.ofSeconds(20), Duration.ofMillis(50), false));
    sink.fate = event -> new CompletableFuture<>();

    HttpResponse<String> answer = post(JSON, request("r-1"));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("not_acknowledged");
  }

  @Test
  void answers408AndFreesItsSlot_whenTheBodyTakesTooLong() throws Exception {
    server.stop();
    start(new EndpointSettings(1024, 10, 1, Duration.ofNanos(1), Duration.ofSeconds(20), false));

    for (int post = 0; post < 2; post++) {
      HttpResponse<String> answer = post(JSON, request("r-1"));

      assertThat(answer.statusCode()).isEqualTo(408);
      assertThat(answer.headers().firstValue("Connection")).hasValue("close");
      assertThat(answer.body()).contains("body not complete within PT0.000000001S");
    }
    assertThat(sink.published(RequestEvent.class)).isEmpty();
  }

  @Test
  void rejectsForGood_whenEventIsTooLargeForTheBroker() throws Exception {
    sink.fate = event -> RecordingSink.dropped(DropReason.TOO_LARGE);

    HttpResponse<String> answer = post(JSON, request("r-1"));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"reason\":\"too_large\"").doesNotContain("failed");
  }

  @Test
  void answersOnlyAfterAcknowledgement_whenBrokerIsSlow() throws Exception {
    CompletableFuture<Published> acknowledgement = new CompletableFuture<>();
    CompletableFuture<Void> handedOver = new CompletableFuture<>();
    sink.fate =
        event -> {
          handedOver.complete(null);
          return acknowledgement;
        };
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(
            build(JSON, null, request("r-1").getBytes(StandardCharsets.UTF_8)),
            HttpResponse.BodyHandlers.ofString());
    handedOver.get(30, TimeUnit.SECONDS);
    assertThat(answer).isNotDone();

    acknowledgement.complete(new Published("t", 0, 0));
    assertThat(answer.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(202);
  }

  @Test
  void answers429_whenTooManyPostsAreWorkedOn() throws Exception {
    CompletableFuture<Published> acknowledgement = new CompletableFuture<>();
    sink.fate = event -> acknowledgement;
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      answers.add(
          client.sendAsync(
              build(JSON, null, request("r-" + i).getBytes(StandardCharsets.UTF_8)),
              HttpResponse.BodyHandlers.ofString()));
    }
    Object first =
        CompletableFuture.anyOf(answers.toArray(CompletableFuture[]::new))
            .get(30, TimeUnit.SECONDS);
    acknowledgement.complete(new Published("t", 0, 0));

    assertThat(((HttpResponse<?>) first).statusCode()).isEqualTo(429);
    List<Integer> all = new ArrayList<>();
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      all.add(answer.get(30, TimeUnit.SECONDS).statusCode());
    }
    assertThat(all).containsExactlyInAnyOrder(202, 202, 429);
  }

  @Test
  void registersInlineConfigurationOnce_whenManyEventsCarryIt() throws Exception {
    String inline =
        request("%s")
            .replace("\"status\"", "\"config\":{\"runtime\":{\"name\":\"sglang\"}},\"status\"");
    HttpResponse<String> answer =
        post(NDJSON, inline.formatted("r-1") + "\n" + inline.formatted("r-2"));
    post(JSON, inline.formatted("r-3"));

    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(sink.published(ConfigRecord.class)).hasSize(1);
    assertThat(sink.published.get(0)).isInstanceOf(ConfigRecord.class);
    String configId = sink.published(ConfigRecord.class).get(0).getConfigId();
    assertThat(sink.published(RequestEvent.class))
        .extracting(RequestEvent::getConfigId)
        .containsExactly(configId, configId, configId);
  }

  @Test
  void failsEventAndRegistersAgain_whenRegistrationWasNotStored() throws Exception {
    String inline =
        request("r-1")
            .replace("\"status\"", "\"config\":{\"runtime\":{\"name\":\"vllm\"}},\"status\"");
    sink.fate =
        event ->
            event instanceof ConfigRecord
                ? RecordingSink.dropped(DropReason.BROKER_ERROR)
                : RecordingSink.ACKNOWLEDGED;
    assertThat(post(JSON, inline).statusCode()).isEqualTo(503);

    sink.fate = event -> RecordingSink.ACKNOWLEDGED;
    assertThat(post(JSON, inline).statusCode()).isEqualTo(202);
    assertThat(sink.published(ConfigRecord.class)).hasSize(2);
  }

  @Test
  void rejectsTicksAndDecisions_whenClientSendsThem() throws Exception {
    HttpResponse<String> answer = post(JSON, "{\"type\":\"tick\",\"at\":\"2026-11-30T12:00:00Z\"}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("unknown_type").contains("type=tick");
    assertThat(sink.published).isEmpty();
  }

  @Test
  void saysWhichFieldsItIgnored() throws Exception {
    HttpResponse<String> answer =
        post(
            NDJSON,
            request("r-1").replace("\"deployment\"", "\"latency\":3.4,\"deployment\"")
                + "\n"
                + request("r-2"));
    assertThat(answer.statusCode()).isEqualTo(202);
    JsonNode said = MAPPER.readTree(answer.body());
    assertThat(said.path("accepted").asInt()).isEqualTo(2);
    assertThat(said.at("/ignored_fields/count").asInt()).isEqualTo(1);
    assertThat(said.at("/ignored_fields/names/0").asText()).isEqualTo("latency");
    assertThat(endpoint.counts().unknownFields()).isEqualTo(1);
  }

  @Test
  void countsEveryItemOnce_whateverBecameOfIt() throws Exception {
    sink.fate =
        event ->
            ((RequestEvent) event).getRequestId().equals("r-2")
                ? RecordingSink.dropped(DropReason.BROKER_ERROR)
                : RecordingSink.ACKNOWLEDGED;
    post(NDJSON, request("r-1") + "\n" + request("r-2") + "\nnonsense");
    post("text/plain", "x");

    IntakeCounts counts = endpoint.counts();
    assertThat(counts.items()).isEqualTo(3);
    assertThat(counts.accepted()).isEqualTo(1);
    assertThat(counts.rejectedByReason()).containsOnlyKeys("bad_json").containsValue(1L);
    assertThat(counts.failedByReason()).containsOnlyKeys("broker_error").containsValue(1L);
    assertThat(counts.deadLettersOffered()).isEqualTo(1);
    assertThat(counts.responsesByStatus()).containsOnly(Map.entry(503, 1L), Map.entry(415, 1L));
  }

  private static String request(String id) {
    return "{\"type\":\"request\",\"request_id\":\""
        + id
        + "\",\"deployment\":\"image-gen\",\"finished_at\":\"2026-11-30T11:59:00Z\","
        + "\"status\":\"ok\",\"latency_seconds\":3.41}";
  }

  private URI uri() {
    return URI.create("http://127.0.0.1:" + server.port() + "/v1/events");
  }

  private HttpResponse<String> post(String type, String body)
      throws IOException, InterruptedException {
    return post(type, null, body.getBytes(StandardCharsets.UTF_8));
  }

  private HttpResponse<String> post(String type, String encoding, byte[] body)
      throws IOException, InterruptedException {
    return send(build(type, encoding, body));
  }

  private HttpRequest build(String type, String encoding, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri())
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (encoding != null) {
      request.header("Content-Encoding", encoding);
    }
    return request.build();
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(plain);
    }
    return out.toByteArray();
  }
}
