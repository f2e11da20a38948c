package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.PromptHash;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.RequestEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the events say of the answers that runtimes give, and that they say no more. */
class GatewayEventsTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String USAGE =
      "\"usage\":{\"prompt_tokens\":1464,\"completion_tokens\":128,"
          + "\"prompt_tokens_details\":{\"cached_tokens\":1280}}";

  private static JsonNode event(String path, String ask, String answer) throws Exception {
    return event(path, ask, answer, settings -> settings);
  }

  private static JsonNode event(
      String path, String ask, String answer, UnaryOperator<GatewaySettings> change)
      throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(200, answer);
                });
        RunningGateway running = new RunningGateway(upstream.uri(), change)) {
      running.post(path, ask, "X-Servedrift-Prompt-Class", "code");
      return EventJson.toJson(running.onlyRequest());
    }
  }

  @Test
  void readsAnOpenAiChatAnswer() throws Exception {
    JsonNode event =
        event(
            CHAT,
            "{\"model\":\"asked\",\"seed\":7,\"temperature\":0.5,\"top_p\":0.9,"
                + "\"messages\":[{\"role\":\"user\",\"content\":\"secret words\"}]}",
            "{\"id\":\"chatcmpl-1\",\"model\":\"qwen\",\"choices\":[{\"index\":0,\"message\":"
                + "{\"content\":\"four\"},\"finish_reason\":\"stop\"}],"
                + USAGE
                + "}");
    assertThat(event.path("request_id").asText()).isEqualTo("chatcmpl-1");
    assertThat(event.path("deployment").asText()).isEqualTo("test");
    assertThat(event.path("status").asText()).isEqualTo("ok");
    assertThat(event.path("finish_reason").asText()).isEqualTo("stop");
    assertThat(event.path("workload").path("modality").asText()).isEqualTo("text");
    assertThat(event.path("workload").path("prompt_class").asText()).isEqualTo("code");
    assertThat(event.path("workload").path("prompt_tokens").asInt()).isEqualTo(1464);
    assertThat(event.path("workload").path("output_tokens").asInt()).isEqualTo(128);
    assertThat(event.path("workload").path("seed").asInt()).isEqualTo(7);
    assertThat(event.path("workload").path("sampling").path("temperature").asDouble())
        .isEqualTo(0.5);
    assertThat(event.path("cache").path("hit").asBoolean()).isTrue();
    assertThat(event.path("cache").has("prefix")).as("the tier is not known").isFalse();
    assertThat(event.path("batch").path("running").asInt()).isEqualTo(1);
    assertThat(event.path("batch").has("size_mean")).as("nothing is invented").isFalse();
    assertThat(event.has("time_to_first_token_seconds")).as("not a stream").isFalse();
    assertThat(event.path("scores").path("output_length").asDouble()).isEqualTo(4);
    assertThat(event.path("scores").has("json_valid")).as("JSON was not asked for").isFalse();
    assertThat(event.toString()).doesNotContain("secret").doesNotContain("four");
    assertThat(event.path("workload").has("prompt_hash")).as("no key").isFalse();
  }

  @Test
  void readsTheTimesAndTiersThatSglangGives() throws Exception {
    JsonNode event =
        event(
            "/generate",
            "{\"text\":\"x\",\"sampling_params\":{\"temperature\":0,\"seed\":3}}",
            "{\"text\":\"abc\",\"meta_info\":{\"id\":\"7f\",\"finish_reason\":{\"type\":\"stop\","
                + "\"matched\":1},\"prompt_tokens\":1464,\"completion_tokens\":128,"
                + "\"cached_tokens\":1280,\"cached_tokens_details\":{\"device\":1024,\"host\":256,"
                + "\"storage\":0},\"num_retractions\":2,\"num_running_reqs\":17,"
                + "\"num_waiting_reqs\":3,\"queue_time\":0.000012,\"inference_time\":0.0179}}");
    assertThat(event.path("request_id").asText()).isEqualTo("7f");
    assertThat(event.path("cache").path("prefix").path("device_tokens").asInt()).isEqualTo(1024);
    assertThat(event.path("cache").path("prefix").path("host_tokens").asInt()).isEqualTo(256);
    assertThat(event.path("cache").path("prefix").path("storage_tokens").asInt()).isZero();
    assertThat(event.path("batch").path("running").asInt()).isEqualTo(17);
    assertThat(event.path("batch").path("waiting").asInt()).isEqualTo(3);
    assertThat(event.path("scheduling").path("preemptions").asInt()).isEqualTo(2);
    assertThat(event.path("queue_seconds").asDouble()).isEqualTo(0.000012);
    assertThat(event.path("inference_seconds").asDouble()).isEqualTo(0.0179);
    assertThat(event.path("workload").path("sampling").path("temperature").asDouble()).isZero();
    assertThat(event.path("workload").path("seed").asInt()).isEqualTo(3);
  }

  @Test
  void readsAnImageAnswer() throws Exception {
    JsonNode event =
        event(
            "/v1/images/generations",
            "{\"prompt\":\"p\",\"size\":\"1024x768\",\"n\":1,\"num_inference_steps\":28,"
                + "\"guidance_scale\":3.5,\"seed\":-1}",
            "{\"id\":\"0b5e\",\"data\":[{\"b64_json\":\"aGVsbG8=\"}],\"inference_time_s\":0.001}");
    JsonNode workload = event.path("workload");
    assertThat(workload.path("modality").asText()).isEqualTo("image");
    assertThat(workload.path("width").asInt()).isEqualTo(1024);
    assertThat(workload.path("height").asInt()).isEqualTo(768);
    assertThat(workload.path("steps").asInt()).isEqualTo(28);
    assertThat(workload.path("images").asInt()).isEqualTo(1);
    assertThat(workload.path("seed").asInt()).isEqualTo(-1);
    assertThat(event.path("inference_seconds").asDouble()).isEqualTo(0.001);
    assertThat(event.path("output").path("bytes").asInt()).isEqualTo(5);
    // printf hello | sha256sum
    assertThat(event.path("output").path("sha256").asText())
        .isEqualTo("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  }

  @Test
  void measuresTheFirstContentOfAStream_notItsFirstByte() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  call.event("{\"id\":\"c\",\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}");
                  Thread.sleep(300);
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"one \"}}]}");
                  Thread.sleep(300);
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"two\"}}]}");
                  call.event("{\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}");
                  call.event("{\"choices\":[]," + USAGE + "}");
                  call.event("[DONE]");
                  call.endStream();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      running.post(CHAT, "{\"stream\":true}");
      RequestEvent event = running.onlyRequest();
      // Only bounds that no slow machine can break: sleeps last at least as long as asked.
      assertThat(event.getTimeToFirstTokenSeconds()).isGreaterThan(0.29);
      assertThat(event.getLatencySeconds() - event.getTimeToFirstTokenSeconds())
          .isGreaterThan(0.29);
      assertThat(event.getFinishReason()).isEqualTo("length");
      assertThat(event.getWorkload().getOutputTokens()).isEqualTo(128);
      assertThat(event.getScores()).containsEntry("output_length", 7.0);
    }
  }

  @Test
  void takesTheLastText_whenAStreamRepeatsWhatWasSaid() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  call.event("{\"text\":\"a\",\"meta_info\":{\"id\":\"s\"}}");
                  call.event("{\"text\":\"a b\",\"meta_info\":{\"id\":\"s\"}}");
                  call.event("{\"text\":\"a b c\",\"meta_info\":{\"id\":\"s\"}}");
                  call.event("[DONE]");
                  call.endStream();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      running.post("/generate", "{\"stream\":true}");
      assertThat(running.onlyRequest().getScores()).containsEntry("output_length", 5.0);
    }
  }

  @Test
  void believesNoCacheHits_whenTheyExceedThePrompt() throws Exception {
    JsonNode event =
        event(
            CHAT,
            "{}",
            "{\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":1,"
                + "\"prompt_tokens_details\":{\"cached_tokens\":11}}}");
    assertThat(event.has("cache")).isFalse();
    assertThat(event.path("workload").path("prompt_tokens").asInt()).isEqualTo(10);
  }

  @Test
  void tellsMissingFromZero() throws Exception {
    JsonNode none = event(CHAT, "{}", "{\"choices\":[],\"usage\":{\"prompt_tokens\":10}}");
    assertThat(none.has("cache")).isFalse();
    JsonNode zero =
        event(
            CHAT,
            "{}",
            "{\"choices\":[],\"usage\":{\"prompt_tokens\":10,"
                + "\"prompt_tokens_details\":{\"cached_tokens\":0}}}");
    assertThat(zero.path("cache").path("hit").asBoolean(true)).isFalse();
  }

  @Test
  void scoresStructuredOutput() throws Exception {
    String ask =
        "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":"
            + "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
            + "\"required\":[\"n\"]}}}}";
    JsonNode right = event(CHAT, ask, content("{\\\"n\\\":1}"));
    assertThat(right.path("scores").path("json_valid").asDouble()).isEqualTo(1);
    assertThat(right.path("scores").path("schema_match").asDouble()).isEqualTo(1);
    assertThat(right.path("scorers").path("schema_match").asText())
        .isEqualTo("servedrift-gateway@1");
    assertThat(right.path("workload").path("constrained").path("mode").asText()).isEqualTo("json");
    assertThat(right.path("workload").path("constrained").path("schema_hash").asText()).hasSize(64);
    JsonNode wrong = event(CHAT, ask, content("{\\\"n\\\":\\\"one\\\"}"));
    assertThat(wrong.path("scores").path("json_valid").asDouble()).isEqualTo(1);
    assertThat(wrong.path("scores").path("schema_match").asDouble(9)).isZero();
    JsonNode broken = event(CHAT, ask, content("{\\\"n\\\":1"));
    assertThat(broken.path("scores").path("json_valid").asDouble(9)).isZero();
    assertThat(broken.path("scores").path("schema_match").asDouble(9)).isZero();
  }

  private static String content(String text) {
    return "{\"choices\":[{\"message\":{\"content\":\"" + text + "\"}}]}";
  }

  @Test
  void hashesPromptsWithTheKey() throws Exception {
    JsonNode event =
        event(
            "/v1/images/generations",
            "{\"prompt\":\"a red circle\"}",
            "{\"data\":[]}",
            settings ->
                settings.withPromptHash(
                    PromptHash.of("k".repeat(32).getBytes(StandardCharsets.US_ASCII))));
    // printf 'a red circle' | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
    assertThat(event.path("workload").path("prompt_hash").asText())
        .isEqualTo("e720f5ed976d16698970b6d2c2cb252f87ecc10ec3b3391c21803c0f93a36023");
  }

  @Test
  void namesTheModelThatAnswered() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(200, "{\"model\":\"qwen\",\"choices\":[]}");
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      running.post(CHAT, "{\"model\":\"other\"}");
      running.post(CHAT, "{\"model\":\"other\"}");
      await().atMost(Duration.ofSeconds(20)).until(() -> running.requests().size() == 2);
      List<ConfigRecord> said =
          running.events.stream()
              .filter(ConfigRecord.class::isInstance)
              .map(ConfigRecord.class::cast)
              .toList();
      assertThat(said).as("said once").hasSize(1);
      assertThat(EventJson.toJson(said.get(0)).path("model").path("name").asText())
          .isEqualTo("qwen");
      assertThat(running.requests())
          .allMatch(event -> event.getModelId().equals(said.get(0).getModelId()));
      assertThat(running.requests()).allMatch(event -> event.getConfigId().equals("unknown"));
    }
  }

  @Test
  void keepsRefusedAndPromisedRequestsApart() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  if (call.head().contains("/v1/videos")) {
                    call.json(200, "{\"id\":\"v\",\"status\":\"queued\"}");
                  } else {
                    call.json(400, "{\"error\":{\"message\":\"no\"}}");
                  }
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      running.post("/v1/videos", "{}");
      running.post(CHAT, "{}");
      GatewayCounts counts = running.gateway.counts();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> counts.get(Count.REFUSED) == 1 && running.gateway.videosWaiting() == 1);
      assertThat(running.requests()).isEmpty();
      assertThat(counts.get(Count.UNFINISHED)).isZero();
      running.gateway.close();
      assertThat(counts.get(Count.UNFINISHED)).as("nobody will ask any more").isEqualTo(1);
    }
  }

  @Test
  void publishesErrorsByTheirClass() throws Exception {
    for (int status : new int[] {500, 503, 429}) {
      try (RawUpstream upstream =
              new RawUpstream(
                  call -> {
                    call.body();
                    call.json(status, "{\"error\":{\"message\":\"secret text\"}}");
                  });
          RunningGateway running = new RunningGateway(upstream.uri())) {
        assertThat(running.post(CHAT, "{}").statusCode()).isEqualTo(status);
        JsonNode event = EventJson.toJson(running.onlyRequest());
        assertThat(event.path("status").asText()).isEqualTo("error");
        assertThat(event.path("error").asText()).isEqualTo("http_" + status);
        assertThat(event.toString()).doesNotContain("secret");
      }
    }
  }

  @Test
  void findsAnErrorWithinAStream() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.beginStream();
                  call.event("{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}");
                  call.event("{\"error\":{\"message\":\"out of memory\"}}");
                  call.endStream();
                });
        RunningGateway running = new RunningGateway(upstream.uri())) {
      running.post(CHAT, "{\"stream\":true}");
      assertThat(running.onlyRequest().getError()).isEqualTo("told_in_answer");
    }
  }

  @Test
  void givesUpReading_beyondItsLimit_andPassesAll() throws Exception {
    String large = content("x".repeat(5_000));
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  call.body();
                  call.json(200, large);
                });
        RunningGateway running =
            new RunningGateway(upstream.uri(), s -> s.withCapture(2_048, 1 << 20))) {
      assertThat(running.post(CHAT, "{}").body()).isEqualTo(large);
      RequestEvent event = running.onlyRequest();
      assertThat(event.getScores()).isEmpty();
      assertThat(event.getLatencySeconds()).isPositive();
      assertThat(running.gateway.counts().get(Count.ANSWER_UNREAD)).isEqualTo(1);
    }
  }

  @Test
  void leavesOutWhatDoesNotFit_andKeepsTheRequest() throws Exception {
    JsonNode event =
        event(CHAT, "{\"top_p\":7}", "{\"choices\":[],\"usage\":{\"prompt_tokens\":99999999999}}");
    assertThat(event.path("status").asText()).isEqualTo("ok");
    assertThat(event.has("workload")).isFalse();
    assertThat(event.path("latency_seconds").asDouble()).isCloseTo(5, within(5.0));
  }
}
