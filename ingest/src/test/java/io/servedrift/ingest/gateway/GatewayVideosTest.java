package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.schemas.EventJson;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    answer.set(QUEUED);
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
    // The client waited for a second, so half of one is possible.
    TimeUnit.MILLISECONDS.sleep(1_000);
    answer.set(
        with("completed", "\"completed_at\":1767000000.75")
            .replace("1767000000,", "1767000000.25,")
            .replace("}", ",\"inference_time_s\":0.4}"));
    Instant before = Instant.now();
    for (int i = 0; i < 3; i++) {
      assertThat(poll("/v1/videos/v1")).isEqualTo(answer.get());
    }
    JsonNode event = EventJson.toJson(running.onlyRequest());
    assertThat(event.path("request_id").asText()).isEqualTo("v1");
    assertThat(event.path("status").asText()).isEqualTo("ok");
    assertThat(event.path("latency_seconds").asDouble()).isEqualTo(0.5);
    assertThat(event.path("inference_seconds").asDouble()).isEqualTo(0.4);
    Instant finished = Instant.parse(event.path("finished_at").asText());
    assertThat(finished).as("counts when it was told").isAfter(before.minusMillis(100));
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

  private void end(String status, String more) throws Exception {
    ask();
    answer.set(with(status, more));
    poll("/v1/videos/v1");
    await().atMost(SOON).until(() -> running.gateway.videosWaiting() == 0);
  }

  /** Of a video whose duration the runtime's stamps tell. */
  private void complete() throws Exception {
    ask();
    TimeUnit.MILLISECONDS.sleep(200);
    answer.set(
        with("completed", "\"completed_at\":1767000000.35")
            .replace("1767000000,", "1767000000.25,"));
    poll("/v1/videos/v1");
    await().atMost(SOON).until(() -> running.requests().size() == 1);
  }

  @ParameterizedTest
  @CsvSource({"failed,error", "cancelled,cancelled"})
  void tellsHowAVideoEnded_whereACompletedOneWouldHaveBeenTold(String state, String status)
      throws Exception {
    complete();
    ask();
    answer.set(
        with(state, "\"completed_at\":null")
            .replace("\"error\":null", "\"error\":{\"message\":\"secret\"}"));
    poll("/v1/videos/v1");
    await().atMost(SOON).until(() -> running.requests().size() == 2);
    JsonNode event = EventJson.toJson(running.requests().get(1));
    assertThat(event.path("status").asText()).isEqualTo(status);
    assertThat(event.path("error").asText(""))
        .isEqualTo(state.equals("failed") ? "video_failed" : "");
    assertThat(event.has("latency_seconds")).as("nobody saw when").isFalse();
    assertThat(event.toString()).doesNotContain("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"completed", "failed", "cancelled"})
  void makesNoEventOfOneLatePoll_howeverTheVideoEnded(String state) throws Exception {
    end(state, "\"completed_at\":null");
    GatewayCounts counts = running.gateway.counts();
    await().atMost(SOON).until(() -> counts.get(Count.UNFINISHED) == 1);
    assertThat(running.requests()).isEmpty();
  }

  @Test
  void believesNoStamps_beyondWhatWasWaited() throws Exception {
    // Milliseconds were waited, half a minute is said: a clock that was set.
    end("completed", "\"completed_at\":1767000030");
    GatewayCounts counts = running.gateway.counts();
    await().atMost(SOON).until(() -> counts.get(Count.UNFINISHED) == 1);
    assertThat(running.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"id\":\"v1\",\"status\":\"submitted\"}",
        "{\"id\":\"v1\"}",
        "{\"status\":\"submitted\"}",
        "not JSON",
      })
  void takesNoPromiseForAVideo_howeverItIsWorded(String promise) throws Exception {
    answer.set(promise);
    running.post("/v1/videos", "{}");
    GatewayCounts counts = running.gateway.counts();
    await()
        .atMost(SOON)
        .until(() -> running.gateway.videosWaiting() + counts.get(Count.UNFINISHED) == 1);
    assertThat(running.requests()).isEmpty();
  }

  @Test
  void tellsThatAVideoFailedAtOnce() throws Exception {
    answer.set(with("failed", "\"completed_at\":null"));
    running.post("/v1/videos", "{}");
    JsonNode event = EventJson.toJson(running.onlyRequest());
    assertThat(event.path("status").asText()).isEqualTo("error");
    assertThat(event.path("error").asText()).isEqualTo("video_failed");
  }

  @Test
  void losesNoVideoFromTheCounts() throws Exception {
    complete();
    end("failed", "\"completed_at\":null");
    answer.set("not JSON");
    running.post("/v1/videos", "{}");
    ask();
    answer.set("x");
    poll("/v1/videos/v1");
    running.close();
    GatewayCounts counts = running.gateway.counts();
    assertThat(counts.get(Count.POLL_UNREAD)).isEqualTo(1);
    assertThat(counts.get(Count.MEASURED)).isEqualTo(4);
    assertThat(counts.get(Count.HANDED_OVER)).isEqualTo(2);
    assertThat(counts.get(Count.UNFINISHED)).isEqualTo(2);
    assertThat(counts.get(Count.UNPUBLISHABLE)).isZero();
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
