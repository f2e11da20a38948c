package io.servedrift.serving.score.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.http.BearerToken;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.serving.score.Fixtures;
import io.servedrift.serving.score.RecordingSink;
import io.servedrift.serving.score.ScorerModel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ScorerServiceTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final double FLOAT_ROUNDING = 1e-5;
  private static final ScoreLimits LIMITS =
      new ScoreLimits(
          60_000,
          3,
          10_000,
          20_000,
          50,
          2,
          120_000,
          Duration.ofMillis(500),
          Duration.ofSeconds(20));

  private static ScorerModel model;
  private final RecordingSink sink = new RecordingSink();
  private @Nullable ScorerService service;

  @BeforeAll
  static void load() throws IOException {
    model = ScorerModel.load(Fixtures.path("small"));
  }

  @AfterAll
  static void free() {
    model.close();
  }

  @AfterEach
  void stop() {
    if (service != null) {
      service.close();
    }
  }

  private void start(@Nullable EventSink events, @Nullable BearerToken token) {
    service =
        ScorerService.start(
            model,
            events,
            new ScorerServiceSettings(
                new HttpSettings("127.0.0.1", 0, List.of(), null), token, LIMITS));
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + service.port() + path);
  }

  private HttpResponse<String> post(String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri("/v1/scores"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String base64(String file) {
    return Base64.getEncoder().encodeToString(Fixtures.bytes(file));
  }

  private static ObjectNode item(JsonNode expected) {
    return JSON.createObjectNode()
        .put("image", base64(expected.path("image").asText()))
        .put("prompt", expected.path("prompt").asText());
  }

  private static void assertScores(JsonNode answer, JsonNode expected) {
    assertThat(answer.path("scores").path("clip").doubleValue())
        .isCloseTo(expected.path("clip").doubleValue(), within(FLOAT_ROUNDING));
    assertThat(answer.path("scores").path("aesthetic").doubleValue())
        .isCloseTo(expected.path("aesthetic").doubleValue(), within(FLOAT_ROUNDING));
    assertThat(answer.path("scorers").path("clip").asText())
        .isEqualTo(model.scorers().get("clip"))
        .matches("small@[0-9a-f]{8}");
  }

  @Test
  void answersWithTorchsScores_whenOneImageIsPosted() throws Exception {
    start(null, null);
    JsonNode expected = Fixtures.expected().path("small").get(1);
    HttpResponse<String> response =
        post(item(expected).put("embedding", true).put("model", "small").toString());

    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    JsonNode answer = JSON.readTree(response.body());
    assertScores(answer, expected);
    assertThat(answer.path("embedding")).hasSize(8);
    for (int i = 0; i < 8; i++) {
      assertThat(answer.path("embedding").get(i).doubleValue())
          .isCloseTo(expected.path("embedding").get(i).doubleValue(), within(FLOAT_ROUNDING));
    }
    assertThat(answer.has("published")).isFalse();
  }

  @Test
  void answersInOrder_whenSeveralArePosted() throws Exception {
    start(sink, null);
    ObjectNode body = JSON.createObjectNode();
    ArrayNode items = body.putArray("items");
    JsonNode cases = Fixtures.expected().path("small");
    items.add(item(cases.get(0)).put("deployment", "sglang").put("request_id", "r-1"));
    items.add(item(cases.get(5)));
    JsonNode answer = JSON.readTree(post(body.toString()).body());

    assertThat(answer.path("results")).hasSize(2);
    assertScores(answer.path("results").get(0), cases.get(0));
    assertScores(answer.path("results").get(1), cases.get(5));
    assertThat(answer.path("results").get(0).has("embedding")).isFalse();
    assertThat(answer.path("results").get(0).path("published").booleanValue()).isTrue();
    assertThat(answer.path("results").get(1).has("published")).isFalse();
    assertThat(sink.events)
        .extracting(e -> ((ScoreEvent) e).getName())
        .containsExactly("aesthetic", "clip");
    ScoreEvent clip = (ScoreEvent) sink.events.get(1);
    assertThat(clip.getDeployment()).isEqualTo("sglang");
    assertThat(clip.getRequestId()).isEqualTo("r-1");
    assertThat(clip.getScorer()).isEqualTo(model.scorers().get("clip"));
    assertThat(clip.getValue())
        .isCloseTo(cases.get(0).path("clip").doubleValue(), within(FLOAT_ROUNDING));
  }

  @Test
  void saysSo_whenThePublisherRefuses() throws Exception {
    start(sink, null);
    sink.refuses = true;
    JsonNode expected = Fixtures.expected().path("small").get(0);
    HttpResponse<String> response =
        post(item(expected).put("deployment", "d").put("request_id", "r").toString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(response.body()).path("published").booleanValue()).isFalse();
    assertThat(get("/metrics").body())
        .contains("servedrift_scorer_published_total{outcome=\"refused\"} 1.0");
  }

  @Test
  void answersLikeOpenAi_whenBodyIsWrong() throws Exception {
    start(sink, null);
    HttpResponse<String> response = post("{\"prompt\":\"a\"}");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(response.body())
        .isEqualTo(
            "{\"error\":{\"message\":\"image: must be a PNG or JPEG in base64\","
                + "\"type\":\"invalid_request_error\",\"param\":\"image\","
                + "\"code\":\"invalid_value\"}}");
    assertThat(sink.events).isEmpty();
  }

  @Test
  void refuses_whenAskedUnderAnotherName() throws Exception {
    start(null, null);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
      String head = String.join("\r\n", "GET /health HTTP/1.1", "Host: evil.example", "", "");
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.setSoTimeout(20_000);
      assertThat(readSome(socket)).startsWith("HTTP/1.1 4").contains("{\"error\":{\"message\":");
    }
  }

  @Test
  void refusesToPublish_whenThereIsNoBroker() throws Exception {
    start(null, null);
    HttpResponse<String> response =
        post(
            item(Fixtures.expected().path("small").get(0))
                .put("deployment", "d")
                .put("request_id", "r")
                .toString());

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("publishes nothing").contains("\"param\":\"deployment\"");
  }

  @Test
  void acceptsDataUrl_whenImageIsOne() throws Exception {
    start(null, null);
    JsonNode expected = Fixtures.expected().path("small").get(0);
    ObjectNode body = item(expected);
    body.put("image", "data:image/png;base64," + body.path("image").asText());

    assertScores(JSON.readTree(post(body.toString()).body()), expected);
  }

  @Test
  void refuses_whenBodyIsTooLarge() throws Exception {
    start(null, null);
    HttpResponse<String> response = post("{\"prompt\":\"" + "a".repeat(60_000) + "\"}");

    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(response.body()).contains("body larger than 60000 bytes");
  }

  @Test
  void refuses_whenBodyComesTooSlowly() throws Exception {
    start(null, null);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
      String head =
          String.join(
              "\r\n",
              "POST /v1/scores HTTP/1.1",
              "Host: localhost",
              "Content-Type: application/json",
              "Content-Length: 1000",
              "",
              "");
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.setSoTimeout(100);
      StringBuilder answer = new StringBuilder();
      // One byte at a time, until the server has had enough.
      while (answer.indexOf("\r\n\r\n") < 0) {
        socket.getOutputStream().write(' ');
        socket.getOutputStream().flush();
        answer.append(readSome(socket));
      }
      assertThat(answer.toString()).startsWith("HTTP/1.1 408");
    }
  }

  private static String readSome(Socket socket) throws IOException {
    byte[] some = new byte[1000];
    try {
      int n = socket.getInputStream().read(some);
      return n < 0 ? "\r\n\r\n" : new String(some, 0, n, StandardCharsets.US_ASCII);
    } catch (SocketTimeoutException nothingYet) {
      return "";
    }
  }

  @Test
  void refuses_whenHeadersAreWrong() throws Exception {
    start(null, null);
    HttpRequest text =
        HttpRequest.newBuilder(uri("/v1/scores"))
            .header("Content-Type", "text/plain")
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();

    assertThat(CLIENT.send(text, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(415);
    assertThat(post("{}", "Content-Encoding", "gzip").statusCode()).isEqualTo(415);
    assertThat(get("/v1/scores").statusCode()).isEqualTo(405);
  }

  @Test
  void demandsToken_whenThereIsOne(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("token");
    Files.writeString(file, "0123456789abcdef0123");
    start(null, BearerToken.fromFile(file));
    String body = item(Fixtures.expected().path("small").get(0)).toString();

    HttpResponse<String> without = post(body);
    assertThat(without.statusCode()).isEqualTo(401);
    assertThat(JSON.readTree(without.body()).path("error").path("code").asText())
        .isEqualTo("invalid_api_key");
    assertThat(post(body, "Authorization", "Bearer 0123456789abcdef0123").statusCode())
        .isEqualTo(200);
    assertThat(get("/health").statusCode()).isEqualTo(200);
  }

  @Test
  void tellsHealthAndMetrics() throws Exception {
    start(null, null);
    JsonNode health = JSON.readTree(get("/health").body());
    assertThat(health.path("status").asText()).isEqualTo("ok");
    assertThat(health.path("scorers").path("aesthetic").asText())
        .isEqualTo(model.scorers().get("aesthetic"));

    post(item(Fixtures.expected().path("small").get(0)).toString());
    post("nonsense");
    assertThat(get("/metrics").body().lines())
        .contains(
            "servedrift_scorer_posts_total{status=\"200\"} 1.0",
            "servedrift_scorer_posts_total{status=\"400\"} 1.0",
            "servedrift_scorer_images_total 1.0",
            "servedrift_scorer_post_seconds_count 2");
  }
}
