package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.schemas.EventJson;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queued videos, in the shape of SGLang Diffusion: the end is told to whoever asks for it. */
class GatewayVideosTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String QUEUED =
      "{\"id\":\"v1\",\"object\":\"video\",\"model\":\"wan\",\"status\":\"queued\","
          + "\"progress\":0,\"created_at\":1767000000,\"size\":\"1280x720\",\"seconds\":\"4\","
          + "\"completed_at\":null,\"expires_at\":null,\"error\":null}";

  private final AtomicReference<String> answer = new AtomicReference<>(QUEUED);
  private RawUpstream upstream;
  private RunningGateway running;

  @BeforeEach
  void start() throws IOException {
    upstream =
        new RawUpstream(
            call -> {
              call.body();
              call.json(200, answer.get());
            });
    running = new RunningGateway(upstream.uri());
  }

  @AfterEach
  void stop() throws IOException {
    running.close();
    upstream.close();
  }

  private static String with(String status, String more) {
    return QUEUED.replace("queued", status).replace("\"completed_at\":null", more);
  }

  private String poll(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(running.uri(path)).GET().build();
    return running.client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private void ask() throws Exception {
    running.post(
        "/v1/videos",
        "{\"model\":\"wan\",\"prompt\":\"secret\",\"size\":\"1280x720\",\"num_frames\":81,"
            + "\"num_inference_steps\":30,\"seed\":7}",
        "X-Servedrift-Prompt-Class",
        "film");
    await().atMost(SOON).until(() -> running.gateway.videosWaiting() == 1);
  }

  @Test
  void makesOneEvent_whenAPollTellsTheEnd() throws Exception {
    ask();
    answer.set(with("in_progress", "\"completed_at\":null"));
    assertThat(poll("/v1/videos/v1")).isEqualTo(answer.get());
    assertThat(running.requests()).isEmpty();
    // The client waited for milliseconds only, so stamps of seconds would be a clock that was set.
    answer.set(
        with("completed", "\"completed_at\":1767000000.75")
            .replace("1767000000,", "1767000000.25,")
            .replace("}", ",\"inference_time_s\":0.4}"));
    for (int i = 0; i < 3; i++) {
      assertThat(poll("/v1/videos/v1")).isEqualTo(answer.get());
    }
    JsonNode event = EventJson.toJson(running.onlyRequest());
    assertThat(event.path("request_id").asText()).isEqualTo("v1");
    assertThat(event.path("status").asText()).isEqualTo("ok");
    assertThat(event.path("latency_seconds").asDouble()).isEqualTo(0.5);
    assertThat(event.path("inference_seconds").asDouble()).isEqualTo(0.4);
    Instant arrived = Instant.parse(event.path("arrived_at").asText());
    Instant finished = Instant.parse(event.path("finished_at").asText());
    assertThat(Duration.between(arrived, finished).toNanos() / 1e9).isCloseTo(0.5, within(1e-5));
    JsonNode workload = event.path("workload");
    assertThat(workload.path("modality").asText()).isEqualTo("video");
    assertThat(workload.path("width").asInt()).isEqualTo(1280);
    assertThat(workload.path("frames").asInt()).isEqualTo(81);
    assertThat(workload.path("steps").asInt()).isEqualTo(30);
    assertThat(workload.path("prompt_class").asText()).isEqualTo("film");
    assertThat(event.has("batch")).as("requests under way here are no videos under way").isFalse();
    assertThat(event.toString()).doesNotContain("secret");
    GatewayCounts counts = running.gateway.counts();
    assertThat(counts.get(Count.MEASURED)).isEqualTo(1);
    assertThat(counts.get(Count.HANDED_OVER)).isEqualTo(1);
    assertThat(counts.get(Count.PASSED)).as("polls").isEqualTo(4);
    assertThat(counts.get(Count.UNFINISHED)).isZero();
    assertThat(running.gateway.videosWaiting()).isZero();
    assertThat(running.gateway.capturedBytes()).isZero();
  }

  @Test
  void tellsThatAVideoFailed() throws Exception {
    ask();
    answer.set(
        with("failed", "\"completed_at\":null")
            .replace("\"error\":null", "\"error\":{\"message\":\"secret\"}"));
    poll("/v1/videos/v1");
    JsonNode event = EventJson.toJson(running.onlyRequest());
    assertThat(event.path("status").asText()).isEqualTo("error");
    assertThat(event.path("error").asText()).isEqualTo("video_failed");
    assertThat(event.has("latency_seconds")).as("nobody saw when").isFalse();
    assertThat(event.toString()).doesNotContain("secret");
  }

  @Test
  void tellsThatAVideoWasCancelled() throws Exception {
    ask();
    answer.set(with("cancelled", "\"completed_at\":null"));
    poll("/v1/videos/v1");
    assertThat(EventJson.toJson(running.onlyRequest()).path("status").asText())
        .isEqualTo("cancelled");
  }

  @Test
  void inventsNoDuration_whenOnlyOneLatePollTellsTheEnd() throws Exception {
    ask();
    answer.set(with("completed", "\"completed_at\":null"));
    poll("/v1/videos/v1");
    GatewayCounts counts = running.gateway.counts();
    await().atMost(SOON).until(() -> counts.get(Count.UNFINISHED) == 1);
    assertThat(running.requests()).isEmpty();
    assertThat(running.gateway.videosWaiting()).isZero();
  }

  @Test
  void learnsNothing_fromWhatTellsNoEndOfAKnownVideo() throws Exception {
    ask();
    String done = with("completed", "\"completed_at\":1767000100");
    answer.set(done);
    poll("/v1/videos/v1/content");
    poll("/v1/videos/");
    poll("/v1/videos");
    running.post("/other/v1", "{}");
    answer.set(done.replace("v1", "v2"));
    poll("/v1/videos/v2");
    answer.set("not JSON");
    poll("/v1/videos/v1");
    answer.set(with("resting", "\"completed_at\":null"));
    poll("/v1/videos/v1");
    answer.set("{}");
    running.post("/generate", "{}");
    await().atMost(SOON).until(() -> running.requests().size() == 1);
    assertThat(running.requests().get(0).getRequestId()).isNotEqualTo("v1");
    assertThat(running.gateway.videosWaiting()).isEqualTo(1);
  }
}
