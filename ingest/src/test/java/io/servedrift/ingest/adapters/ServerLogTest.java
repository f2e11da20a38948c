package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.capture.CaptureText;
import io.servedrift.ingest.capture.Captured;
import io.servedrift.schemas.PromptHash;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServerLogTest {
  private static final AdapterSettings IMAGES =
      AdapterSettings.of("image-gen").withZone(ZoneId.of("Europe/Berlin"));

  private static AdapterRun diffusion(String... files) throws UnfitSourceException {
    return AdapterRun.of(AdapterFormat.SGLANG_DIFFUSION_LOG, IMAGES, files);
  }

  private static AdapterRun language(String file) throws UnfitSourceException {
    return AdapterRun.of(
        AdapterFormat.SGLANG_LOG, AdapterSettings.of("llm").withZone(ZoneId.of("UTC")), file);
  }

  @Test
  void makesARequestOfEachIdOfABatch() throws UnfitSourceException {
    AdapterRun run = diffusion("sglang-diffusion-json.log");

    assertThat(run.refused).isEmpty();
    assertThat(run.ofType("request")).hasSize(6);
    assertThat(run.request("d-2"))
        .contains(
            "\"finished_at\":\"2026-09-20T08:11:12.123456Z\"",
            "\"latency_seconds\":3.41",
            "\"inference_seconds\":3.41",
            "\"modality\":\"image\",\"width\":1024,\"height\":768,\"images\":1,\"steps\":9,"
                + "\"guidance_scale\":1.0,\"seed\":8",
            "\"batch\":{\"size_min\":2,\"size_mean\":2.0,\"size_max\":2,\"neighbours\":[\"d-1\"]}")
        .doesNotContain("frames", "arrived_at", "queue_seconds");
  }

  @Test
  void givesFramesToAVideoOnly() throws UnfitSourceException {
    assertThat(diffusion("sglang-diffusion-json.log").request("d-3"))
        .contains("\"modality\":\"video\"", "\"frames\":81", "\"seed\":1024", "\"size_max\":1")
        .doesNotContain("neighbours", "red boat");
  }

  @Test
  void findsTheOwnObjectInAMixedBatch_andKeepsOfAnErrorItsKind() throws UnfitSourceException {
    assertThat(diffusion("sglang-diffusion-json.log").request("d-4"))
        .contains("\"seed\":4", "\"status\":\"error\"", "\"error\":\"RuntimeError\"")
        .doesNotContain("memory", "cat");
  }

  @Test
  void saysOfARecordAtTheLowestLevelOnlyWhatItHolds() throws UnfitSourceException {
    String request = diffusion("sglang-diffusion-json.log").request("d-6");

    assertThat(request)
        .contains("\"latency_seconds\":0.7")
        .doesNotContain("workload", "cache", "modality");
  }

  @Test
  void takesTheArgumentsAsConfigurationOfTheRequestsBehindThem() throws UnfitSourceException {
    AdapterRun run = diffusion("sglang-diffusion-json.log");

    assertThat(run.ofType("config")).hasSize(1);
    JsonNode config = run.ofType("config").get(0);
    assertThat(config.at("/config/batching").toString())
        .isEqualTo("{\"delay_ms\":5,\"max_batch_size\":8,\"mode\":\"dynamic\"}");
    assertThat(config.toString())
        .contains("\"model\":{\"name\":\"Tongyi-MAI/Z-Image-Turbo\"}", "sglang-diffusion")
        .doesNotContain("sk-", "30000", "127.0.0.1");
    assertThat(run.request("d-1")).contains(config.get("config").toString());
    assertThat(run.kinds()).doesNotContain("config_changed");
  }

  @Test
  void joinsStagesAndSteps_whicheverFileComesFirst() throws UnfitSourceException {
    AdapterRun stagesLast = diffusion("sglang-diffusion-json.log", "performance.log");
    AdapterRun stagesFirst = diffusion("performance.log", "sglang-diffusion-json.log");

    for (AdapterRun run : List.of(stagesLast, stagesFirst)) {
      assertThat(run.request("d-1"))
          .contains(
              "\"stage_seconds\":{\"decode\":0.6206,\"denoise\":2.3492,\"input_validation\":5.0E-4,"
                  + "\"text_encode\":0.4412}",
              "\"denoise\":{\"cached_steps\":3,\"executed_steps\":6}");
      assertThat(run.request("d-2")).doesNotContain("stage_seconds", "cached_steps");
      assertThat(run.request("d-3")).contains("\"denoise\":18.5").doesNotContain("cached_steps");
      assertThat(run.skipped).containsEntry(StageJoin.JOINED, 3).containsEntry(StageJoin.ALONE, 2);
    }
  }

  @Test
  void countsTheDispatchesOfAMinute_withRatiosAndSeconds() throws UnfitSourceException {
    AdapterRun run = diffusion("sglang-diffusion-json.log");

    JsonNode sizes =
        run.ofType("serving_event").stream()
            .filter(e -> e.path("kind").asText().equals("dispatch_sizes"))
            .findFirst()
            .orElseThrow();
    assertThat(sizes.get("at").asText()).isEqualTo("2026-09-20T08:12:00Z");
    assertThat(sizes.get("attributes").toString())
        .isEqualTo(
            "{\"dispatches\":\"2\",\"size_mean\":\"3.0000\",\"size_max\":\"4\",\"size_limit\":\"8\","
                + "\"queue_wait_mean_seconds\":\"0.0100\",\"window_seconds\":\"60\"}");
  }

  @Test
  void readsTheTextFormOfTheRequestLog() throws UnfitSourceException {
    AdapterRun run = language("sglang-text.log");

    assertThat(run.refused).isEmpty();
    assertThat(run.request("t-1"))
        .contains(
            "\"finished_at\":\"2026-09-20T10:00:15Z\"",
            "\"latency_seconds\":8.512",
            "\"prompt_tokens\":320,\"output_tokens\":220",
            "\"cache\":{\"hit\":true}",
            "\"top_k\":20",
            "\"constrained\":{\"mode\":\"off\"}")
        .doesNotContain("quoted", "answer", "adapters");
    assertThat(run.request("t-2")).contains("\"time_to_first_token_seconds\":0.121");
    assertThat(run.ofType("request")).hasSize(2);
    assertThat(run.rejected).containsOnlyKeys("missing_field");
  }

  @Test
  void tellsWhenTheCacheWasFullAndWhatWasRetracted() throws UnfitSourceException {
    AdapterRun run = language("sglang-text.log");

    assertThat(run.kinds())
        .containsExactlyInAnyOrder(
            "cache_pressure",
            "cache_pressure_ended",
            "preemption_pressure",
            "cache_flush",
            "node_started",
            "config_changed",
            "cache_policy_changed");
    JsonNode pressure = run.ofType("serving_event").get(0);
    assertThat(pressure.toString())
        .contains("\"at\":\"2026-09-20T10:00:20Z\"", "\"token_usage\":\"0.93\"");
    assertThat(
            run.ofType("serving_event").stream()
                .filter(e -> e.path("kind").asText().equals("preemption_pressure"))
                .findFirst()
                .orElseThrow()
                .at("/attributes/retracted_requests")
                .asText())
        .isEqualTo("2");
  }

  @Test
  void readsPercentAndFractionAsTheSameShare() throws UnfitSourceException {
    List<String> lines =
        List.of(
            "[2026-09-20 10:00:20] Decode batch. #running-req: 4, token usage: 93%, #queue-req: 6",
            "[2026-09-20 10:00:21] Decode batch. #running-req: 4, token usage: 0.93, #queue-req: 6",
            "[2026-09-20 10:00:22] Decode batch. #running-req: 4, token usage: 1.2%, #queue-req:"
                + " 6");
    AdapterRun run = AdapterRun.ofLines(AdapterFormat.SGLANG_LOG, IMAGES, lines);

    assertThat(run.kinds()).containsExactly("cache_pressure", "cache_pressure_ended");
    assertThat(run.events.get(0).at("/attributes/token_usage").asText()).isEqualTo("0.93");
    assertThat(run.events.get(1).at("/attributes/token_usage").asText()).isEqualTo("0.01");
  }

  @Test
  void readsTheJsonFormOfTheRequestLog() throws UnfitSourceException {
    AdapterRun run = language("sglang-request-json.log");

    assertThat(run.request("j-1")).contains("\"finished_at\":\"2026-09-20T10:00:15.250Z\"");
    assertThat(run.request("j-2")).contains("\"status\":\"timeout\"", "\"error\":\"abort 503\"");
  }

  @Test
  void refusesLocalTimesWithoutAZone() {
    assertThatThrownBy(
            () ->
                AdapterRun.of(
                    AdapterFormat.SGLANG_LOG, AdapterSettings.of("llm"), "sglang-request-json.log"))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("--time-zone");
  }

  @Test
  void refusesALogThatHoldsSlowRequestsOnly() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      lines.add(
          "{\"timestamp\":\"2026-09-20T10:00:%02d\",\"event\":\"request.received\",\"rid\":\"r-%d\"}"
              .formatted(i, i));
    }
    for (int i = 0; i < 5; i++) {
      lines.add(finished(i));
    }

    assertThatThrownBy(() -> AdapterRun.ofLines(AdapterFormat.SGLANG_LOG, IMAGES, lines))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("of 30 requests 25 have no end")
        .hasMessageContaining("SGLANG_LOG_REQUEST_EXCEEDED_MS");
  }

  @Test
  void takesALogWhoseLastRequestsAreStillRunning() throws UnfitSourceException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      lines.add(
          "{\"timestamp\":\"2026-09-20T10:00:59\",\"event\":\"request.received\",\"rid\":\"x-%d\"}"
              .formatted(i));
      lines.add(finished(i % 5));
    }

    assertThat(AdapterRun.ofLines(AdapterFormat.SGLANG_LOG, IMAGES, lines).events).hasSize(30);
  }

  @Test
  void refusesALogThatNamesTheFilter() {
    List<String> lines =
        List.of("INFO env: SGLANG_LOG_REQUEST_EXCEEDED_MS=5000", finished(1), finished(2));

    assertThatThrownBy(() -> AdapterRun.ofLines(AdapterFormat.SGLANG_LOG, IMAGES, lines))
        .hasMessageContaining("holds slow requests only;");
  }

  @Test
  void believesNothingThatAClientAskedFor() throws UnfitSourceException {
    List<String> lines =
        List.of(
            "[2026-09-20 10:00:00] INFO:     10.0.0.7:5 - \"GET /?SGLANG_LOG_REQUEST_EXCEEDED_MS=1"
                + " HTTP/1.1\" 404 Not Found",
            "INFO:     10.0.0.7:5 - \"GET /?SGLANG_LOG_REQUEST_EXCEEDED_MS=1 HTTP/1.1\" 200 OK",
            "[2026-09-20 10:00:01] \"GET /?server_args={tp_size:4} HTTP/1.1\" 200 OK",
            "[2026-09-20 10:00:02] 10.0.0.7:5 - \"GET /?Decode batch. token usage: 0.99 HTTP/1.1\""
                + " 200",
            finished(1));
    AdapterRun run = AdapterRun.ofLines(AdapterFormat.SGLANG_LOG, IMAGES, lines);

    assertThat(run.skipped).containsEntry(ServerLog.OTHER, 4);
    assertThat(run.events).hasSize(1);
    assertThat(run.request("r-1")).doesNotContain("config");
  }

  @Test
  void takesTheEndOfAServerForNoFilter() throws UnfitSourceException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      lines.add(record("received", 36_000 + i, "a-" + i));
      lines.add(record("finished", 36_000 + i, "a-" + i));
    }
    for (int i = 0; i < 64; i++) {
      lines.add(record("received", 36_200 + i % 5, "lost-" + i));
    }
    List<String> restarted = new ArrayList<>(lines);
    restarted.add("[2026-09-20 10:06:40] server_args=ServerArgs(model_path='m', tp_size=1)");
    for (List<String> log : List.of(lines, restarted)) {
      log.add(record("received", 36_500, "b"));
      log.add(record("finished", 36_500, "b"));

      assertThat(AdapterRun.ofLines(AdapterFormat.SGLANG_LOG, IMAGES, log).ofType("request"))
          .hasSize(201);
    }
  }

  private static String record(String event, int secondOfDay, String id) {
    String time = LocalTime.ofSecondOfDay(secondOfDay).format(DateTimeFormatter.ISO_LOCAL_TIME);
    return ("{\"timestamp\":\"2026-09-20T%s\",\"event\":\"request.%s\",\"rid\":\"%s\","
            + "\"obj\":{},\"out\":{\"meta_info\":{\"e2e_latency\":6.5,\"prompt_tokens\":1}}}")
        .formatted(time, event, id);
  }

  private static String stages(String id, double milliseconds) {
    return ("{\"request_id\":\"%s\",\"timestamp\":\"2026-09-20T08:01:00+00:00\",\"tag\":"
            + "\"pipeline_stage_metrics\",\"stages\":[],\"steps\":[],\"total_duration_ms\":%s}")
        .formatted(id, milliseconds);
  }

  @Test
  void letsASlowWarmUpHideNoFilter() {
    List<String> lines = new ArrayList<>();
    lines.add(stages("warm-up", 40_000));
    for (int i = 0; i < 100; i++) {
      lines.add(stages("fast-" + i, 900));
    }
    lines.add(record("finished", 36_000, "slow"));

    assertThatThrownBy(() -> AdapterRun.ofLines(AdapterFormat.SGLANG_DIFFUSION_LOG, IMAGES, lines))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("of 101 requests 100 have no end");
  }

  /** The monitor counts a request as late 10 s after its end. */
  private static void give(Adapter adapter, AdapterRun run, String line, Instant now) {
    adapter.take(new SourceLine(line.getBytes(StandardCharsets.UTF_8), 0, 1), run);
    adapter.pass(now, run);
  }

  @Test
  void givesARequestLiveBeforeItIsLate() {
    Instant end = Instant.parse("2026-09-20T08:00:00Z");
    AdapterRun text = new AdapterRun();
    Adapter language = AdapterFormat.SGLANG_LOG.open(IMAGES);
    give(language, text, record("finished", 36_000, "a"), end);
    assertThat(text.events).hasSize(1);

    AdapterRun images = new AdapterRun();
    Adapter diffusion = AdapterFormat.SGLANG_DIFFUSION_LOG.open(IMAGES);
    String image = record("finished", 36_000, "a").replace("prompt_tokens", "other");
    give(diffusion, images, image, end);
    assertThat(images.events).hasSize(1);

    give(diffusion, images, stages("other", 900), end);
    give(diffusion, images, image.replace("\"a\"", "\"b\""), end);
    assertThat(images.events).hasSize(1);
    diffusion.pass(end.plusSeconds(5), images);
    assertThat(images.events).hasSize(2);
  }

  @Test
  void refusesLocalTimesWithoutAZone_besideStagesThatHaveOne() {
    assertThatThrownBy(
            () ->
                AdapterRun.of(
                    AdapterFormat.SGLANG_DIFFUSION_LOG,
                    AdapterSettings.of("g"),
                    "performance.log",
                    "sglang-diffusion-json.log"))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("--time-zone");
  }

  @Test
  void keepsWhatTheUserGaveAsConfiguration_untilTheServerStartsOtherwise()
      throws UnfitSourceException {
    Captured resolved =
        CaptureText.together(
            List.of(
                CaptureText.of(
                    "{\"type\":\"config\",\"config\":{\"attention\":{\"backend\":\"fa3\"}},\"model\":{\"name\":\"m\"}}")));
    String start = "[2026-09-20 10:00:00] server_args=ServerArgs(model_path='m', tp_size=%d)";
    AdapterSettings settings =
        new AdapterSettings(
            IMAGES.deployment(),
            IMAGES.node(),
            IMAGES.zone(),
            IMAGES.promptHash(),
            Optional.of(resolved));
    AdapterRun run =
        AdapterRun.ofLines(
            AdapterFormat.SGLANG_LOG,
            settings,
            List.of(
                start.formatted(2),
                record("finished", 36_000, "a"),
                start.formatted(4),
                record("finished", 36_001, "b")));

    assertThat(run.request("a")).contains("fa3", "\"tensor\":2");
    assertThat(run.request("b")).contains("\"tensor\":4").doesNotContain("fa3");
  }

  private static String finished(int i) {
    return ("{\"timestamp\":\"2026-09-20T10:01:0%d\",\"event\":\"request.finished\",\"rid\":\"r-%d\","
            + "\"obj\":{},\"out\":{\"meta_info\":{\"id\":\"r-%d\",\"e2e_latency\":6.5,"
            + "\"prompt_tokens\":1}}}")
        .formatted(i, i, i);
  }

  @Test
  void readsPerformanceLogAlone() throws UnfitSourceException {
    AdapterRun run =
        AdapterRun.of(AdapterFormat.SGLANG_PERF_LOG, AdapterSettings.of("g"), "performance.log");

    assertThat(run.refused).isEmpty();
    assertThat(run.request("dump-1"))
        .contains(
            "\"finished_at\":\"2026-09-20T08:11:22Z\"",
            "\"latency_seconds\":1.2",
            "\"stage_seconds\":{\"denoise\":1.0,\"text_encode\":0.1}",
            "\"cached_steps\":0,\"executed_steps\":5");
    assertThat(run.skipped).containsEntry(PerfLog.OTHER, 1);
  }

  @Test
  void hashesPromptsOfImages() throws UnfitSourceException {
    PromptHash hash =
        PromptHash.of("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8));
    AdapterRun run =
        AdapterRun.of(
            AdapterFormat.SGLANG_DIFFUSION_LOG,
            IMAGES.withPromptHash(hash),
            "sglang-diffusion-json.log");

    assertThat(run.request("d-3")).contains("\"prompt_hash\":\"" + hash.of("a red boat") + "\"");
    assertThat(run.request("d-1")).doesNotContain("prompt_hash");
  }
}
