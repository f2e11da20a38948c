package io.servedrift.serving.score.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.javalin.Javalin;
import io.servedrift.ingest.http.HttpServerFactory;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.serving.score.Fixtures;
import io.servedrift.serving.score.GatedScorer;
import io.servedrift.serving.score.ScorerModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a post meets when the scorer is busy, failing or stopping. */
@Timeout(60)
class ScoresEndpointTest {

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ScoreLimits ONE_AT_A_TIME =
      new ScoreLimits(
          60_000,
          3,
          10_000,
          20_000,
          50,
          1,
          150_000,
          Duration.ofSeconds(20),
          Duration.ofSeconds(20));

  private final GatedScorer scorer = GatedScorer.shut();
  private ScorerModel model;
  private ScoresEndpoint endpoint;
  private Javalin server;

  @BeforeEach
  void start() throws IOException {
    model = ScorerModel.load(Fixtures.path("small"));
    endpoint =
        new ScoresEndpoint(
            scorer,
            "gated",
            null,
            ONE_AT_A_TIME,
            new ScorerServiceMetrics(model),
            InstantSource.system(),
            System::nanoTime);
    server =
        HttpServerFactory.create(
                new HttpSettings("127.0.0.1", 0, List.of(), null),
                config -> config.routes.post("/v1/scores", endpoint))
            .start();
  }

  @AfterEach
  void stop() {
    server.stop();
    endpoint.close();
    model.close();
  }

  private CompletableFuture<HttpResponse<String>> post(String prompt) {
    String image = Base64.getEncoder().encodeToString(Fixtures.bytes("64x64.png"));
    String body = "{\"prompt\":\"" + prompt + "\",\"image\":\"" + image + "\"}";
    return CLIENT.sendAsync(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/scores"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void refuses_whenTooManyPostsAreInWork() {
    CompletableFuture<HttpResponse<String>> first = post("0.5");
    await().until(() -> scorer.batches.size() == 1);
    HttpResponse<String> second = post("0.5").join();

    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.headers().firstValue("Retry-After")).contains("1");
    assertThat(second.body()).contains("1 posts are worked on");
    scorer.gate.release();
    assertThat(first.join().statusCode()).isEqualTo(200);
    assertThat(first.join().body()).contains("\"clip\":0.5");
  }

  @Test
  void tellsNothingOfThePrompt_whenTheScorerFails() {
    scorer.gate.release(2);

    HttpResponse<String> failed = post("fail secret").join();
    assertThat(failed.statusCode()).isEqualTo(500);
    assertThat(failed.body()).contains("\"type\":\"server_error\"").doesNotContain("secret");
    HttpResponse<String> notFinite = post("NaN").join();
    assertThat(notFinite.statusCode()).isEqualTo(500);
    assertThat(notFinite.body()).contains("\"code\":\"not_finite\"");
  }

  @Test
  void answersAndHoldsNoBody_whenTheScorerEndsWithAnError() {
    scorer.gate.release();

    HttpResponse<String> failed = post("error secret").join();
    assertThat(failed.statusCode()).isEqualTo(500);
    assertThat(failed.body()).contains("\"code\":\"scoring_failed\"").doesNotContain("secret");
    assertThat(endpoint.bodyBytes()).isZero();
  }

  @Test
  void answersWhatIsInWork_whenDrained() {
    CompletableFuture<HttpResponse<String>> first = post("0.5");
    await().until(() -> scorer.batches.size() == 1);
    CompletableFuture<Void> drained =
        CompletableFuture.runAsync(() -> endpoint.drain(Duration.ofSeconds(20)));
    await().until(() -> post("0.5").join().statusCode() == 503);
    assertThat(drained).isNotDone();
    scorer.gate.release();

    assertThat(first.join().statusCode()).isEqualTo(200);
    drained.join();
  }

  /** A post of which so many of 60,000 bytes are sent, and no more. */
  private Socket begun(int bytes) throws IOException {
    return begun(60_000, bytes);
  }

  private Socket begun(int length, int bytes) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    String head =
        String.join(
            "\r\n",
            "POST /v1/scores HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "Content-Length: " + length,
            "",
            "");
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().write(new byte[bytes]);
    socket.getOutputStream().flush();
    return socket;
  }

  private static String firstLine(Socket socket) throws IOException {
    return new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
        .readLine();
  }

  @Test
  void scoresForOthers_whileSlowSendersHoldNeitherPlaceNorThread() throws Exception {
    List<Socket> slow = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      slow.add(begun(1_000));
    }
    await().until(() -> endpoint.bodyBytes() == 20 * 1_024);
    long busy =
        Thread.getAllStackTraces().values().stream()
            .filter(
                trace ->
                    Arrays.stream(trace)
                        .anyMatch(frame -> frame.getClassName().contains("score.http.Arriving")))
            .count();
    assertThat(busy).isZero();
    scorer.gate.release();

    assertThat(post("0.5").join().statusCode()).isEqualTo(200);
    for (Socket socket : slow) {
      socket.close();
    }
    await().until(() -> endpoint.bodyBytes() == 0);
  }

  @Test
  void holdsLittle_whenTheRestOfATooLargeBodyIsThrownAway() throws Exception {
    try (Socket large = begun(100_000, 61_000)) {
      await().until(() -> endpoint.bodyBytes() == 16 * 1_024);
      large.getOutputStream().write(new byte[39_000]);
      assertThat(firstLine(large)).startsWith("HTTP/1.1 413");
    }
    await().until(() -> endpoint.bodyBytes() == 0);
  }

  @Test
  void refusesABody_whenTooManyBytesAreOnTheirWay() throws Exception {
    try (Socket first = begun(50_000);
        Socket second = begun(50_000)) {
      // Arrays double, up to one byte more than a body may have.
      await().until(() -> endpoint.bodyBytes() == 2 * 60_001);
      try (Socket third = begun(50_000)) {
        assertThat(firstLine(third)).startsWith("HTTP/1.1 429");
      }
      await().until(() -> endpoint.bodyBytes() == 2 * 60_001);
      assertThat(first.isClosed() || second.isClosed()).isFalse();
    }
    await().until(() -> endpoint.bodyBytes() == 0);
  }
}
