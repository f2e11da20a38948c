package io.servedrift.serving.score.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.javalin.Javalin;
import io.servedrift.ingest.http.HttpServerFactory;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.serving.score.Fixtures;
import io.servedrift.serving.score.GatedScorer;
import io.servedrift.serving.score.ScorerModel;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
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
          60_000, 3, 10_000, 20_000, 50, 1, Duration.ofSeconds(20), Duration.ofSeconds(20));

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
}
