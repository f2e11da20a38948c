package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.PromptHash;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SglangMetricsTest {
  private static final AdapterSettings LLM = AdapterSettings.of("llm");
  private static final String KEY = "0123456789abcdef0123456789abcdef";

  private static AdapterRun run(AdapterSettings settings, String file) throws UnfitSourceException {
    return AdapterRun.of(AdapterFormat.SGLANG_METRICS, settings, file);
  }

  @Test
  void fillsEverythingThatTheRecordTells() throws UnfitSourceException {
    AdapterRun run = run(LLM, "sglang-metrics-0.5.6.log");

    assertThat(run.refused).isEmpty();
    assertThat(run.request("m-1"))
        .isEqualTo(
            "{\"type\":\"request\",\"deployment\":\"llm\",\"workload\":{\"adapters\":[\"style-a\"],"
                + "\"sampling\":{\"temperature\":0.7,\"top_p\":0.9,\"top_k\":-1,"
                + "\"repetition_penalty\":1.0},\"constrained\":{\"mode\":\"off\"},"
                + "\"modality\":\"text\",\"prompt_tokens\":1464,\"output_tokens\":128},"
                + "\"scheduling\":{\"priority\":2,\"preemptions\":0},\"request_id\":\"m-1\","
                + "\"latency_seconds\":1.84,\"queue_seconds\":0.012,\"inference_seconds\":1.79,"
                + "\"batch\":{\"running\":17,\"waiting\":3},\"finish_reason\":\"stop\","
                + "\"status\":\"ok\",\"stage_seconds\":{\"prefill\":0.2,\"decode\":1.5},"
                + "\"cache\":{\"hit\":true,\"prefix\":{\"device_tokens\":1024,\"host_tokens\":256,"
                + "\"storage_tokens\":0}},\"arrived_at\":\"2025-12-29T09:20:00.100Z\","
                + "\"finished_at\":\"2025-12-29T09:20:01.900Z\"}");
  }

  @Test
  void leavesAPromptOnlyAsItsHash_andNothingWithoutAKey() throws UnfitSourceException {
    PromptHash hash = PromptHash.of(KEY.getBytes(StandardCharsets.UTF_8));
    String with = run(LLM.withPromptHash(hash), "sglang-metrics-0.5.6.log").request("m-1");
    String without = run(LLM, "sglang-metrics-0.5.6.log").request("m-1");

    // HMAC-SHA-256 by an independent implementation (Python's hmac).
    assertThat(with)
        .contains(
            "\"prompt_hash\":\"79fb025629615f2e4d101b86efeab7a5b89568b6cef1035055230d69ef6bfde4\"")
        .doesNotContain("cat in the rain");
    assertThat(without).doesNotContain("prompt_hash").doesNotContain("cat in the rain");
  }

  @Test
  void readsParametersThatAreJsonInAString() throws UnfitSourceException {
    // sha256 of {"type": "object"}, the text that the client sent
    assertThat(run(LLM, "sglang-metrics-0.5.6.log").request("m-2"))
        .contains(
            "\"mode\":\"json_schema\"",
            "\"schema_hash\":\"ff419ebbeba438f66900abe77818ce940702bdfe70fa173cb94beecee8d3f112\"");
  }

  @Test
  void tellsZeroCachedTokensFromUnknown() throws UnfitSourceException {
    assertThat(run(LLM, "sglang-metrics-0.5.6.log").request("m-2"))
        .contains("\"cache\":{\"hit\":false}");
    assertThat(run(LLM, "sglang-metrics-0.4.log").request("o-1")).doesNotContain("cache");
  }

  @Test
  void namesTheWeightsUnlessNobodyNamedThem() throws UnfitSourceException {
    AdapterRun run = run(LLM, "sglang-metrics-0.5.6.log");

    assertThat(run.request("m-2"))
        .contains("\"model\":{\"extra\":{\"weight_version\":\"step-400\"}}");
    assertThat(run.request("m-1")).doesNotContain("model");
  }

  @Test
  void readsAnAbortWithItsFewFields() throws UnfitSourceException {
    AdapterRun run = run(LLM, "sglang-metrics-0.5.6.log");

    assertThat(run.request("m-3"))
        .contains("\"status\":\"cancelled\"", "\"output_tokens\":0")
        .doesNotContain("prompt_tokens", "cache", "queue_seconds", "batch");
    assertThat(run.request("m-4"))
        .contains("\"status\":\"error\"", "\"error\":\"abort 400\"")
        .doesNotContain("40000");
  }

  @Test
  void leavesOutCountsOfMoreCachedThanPromptTokens() throws UnfitSourceException {
    AdapterRun run = run(LLM, "sglang-metrics-0.4.log");

    assertThat(run.request("o-2")).contains("\"cache\":{\"hit\":true}");
    assertThat(run.notes)
        .containsEntry(SglangMetaInfo.TOO_MANY_CACHED, 1)
        .containsEntry(SglangMetrics.PARAMETERS_UNREADABLE, 1);
  }

  @Test
  void rejectsARecordWithoutTimes_sayingWhichFlagGivesThem() throws UnfitSourceException {
    AdapterRun run = run(LLM, "sglang-metrics-0.4.log");

    assertThat(run.rejected).containsExactly(Map.entry("missing_field", 1));
    assertThat(run.problems.get(0)).contains("request_finished_ts", "--enable-metrics");
  }

  @Test
  void takesNoClockThatStartsWithTheMachineForATime() throws UnfitSourceException {
    AdapterRun run = run(LLM, "sglang-metrics-0.4.log");

    assertThat(run.request("o-4")).doesNotContain("arrived_at", "prompt_tokens");
    assertThat(run.notes)
        .containsEntry(SglangMetaInfo.NO_WALL_CLOCK, 1)
        .containsEntry("unexpected kind of value, left out: prompt_tokens", 2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"id":"r-1","e2e_lat      | JSON that ends in the middle at column 21
          {"id":"r-1","e2e_latency":| JSON that ends in the middle at column 27
          {"id":"r-1",}             | broken JSON at column 13
          {"id":"a","id":"b"}       | JSON with a repeated key at column 15
          {} {}                     | more than one JSON value at column 4
          [1]                       | an array
          """)
  void saysWhereALineIsBroken(String line, String what) throws UnfitSourceException {
    AdapterRun run =
        AdapterRun.ofLines(AdapterFormat.SGLANG_METRICS, AdapterSettings.of("d"), List.of(line));

    assertThat(run.problems).containsExactly("(line)=" + what + ": must be one JSON object");
  }
}
