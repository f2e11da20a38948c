package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.servedrift.ingest.capture.ConfigCapture;
import org.junit.jupiter.api.Test;

class VllmTest {
  private static final AdapterSettings LLM = AdapterSettings.of("llm");

  private static AdapterRun responses() throws UnfitSourceException {
    return AdapterRun.of(AdapterFormat.VLLM, LLM, "vllm-responses-0.12.ndjson");
  }

  @Test
  void readsABareResponse_itsLatencyUpToTheLastToken() throws UnfitSourceException {
    // 85.2 ms + 127 x 9.1 ms
    assertThat(responses().request("chatcmpl-1"))
        .contains(
            "\"arrived_at\":\"2025-12-29T09:20:00Z\"",
            "\"latency_seconds\":1.2409",
            "\"time_to_first_token_seconds\":0.0852",
            "\"queue_seconds\":0.0123",
            "\"stage_seconds\":{\"generation\":1.2405}",
            "\"prompt_tokens\":42,\"output_tokens\":128",
            "\"cache\":{\"hit\":true}",
            "\"model\":{\"name\":\"meta-llama/Llama-3.1-8B-Instruct\"}")
        .doesNotContain("private", "finished_at", "prefix");
  }

  @Test
  void addsWhatIsKnownOfTheModelThatTheResponseNames() throws UnfitSourceException {
    AdapterSettings settings =
        LLM.withCaptured(
            ConfigCapture.ofServerInfo(
                JsonNodeFactory.instance
                    .objectNode()
                    .put("model_path", "meta-llama/Llama-3.1-8B-Instruct")
                    .put("revision", "r1")));
    AdapterRun run = AdapterRun.of(AdapterFormat.VLLM, settings, "vllm-responses-0.12.ndjson");

    assertThat(run.request("chatcmpl-1"))
        .contains("\"model\":{\"name\":\"meta-llama/Llama-3.1-8B-Instruct\",\"revision\":\"r1\"}");
  }

  @Test
  void readsAResponseWithItsRequestAndTimes() throws UnfitSourceException {
    assertThat(responses().request("chatcmpl-3"))
        .contains(
            "\"latency_seconds\":2.5",
            "\"temperature\":0.2",
            "\"mode\":\"json_schema\"",
            "\"finish_reason\":\"length\"")
        .doesNotContain("private", "cache");
  }

  @Test
  void readsAnErrorWithoutItsMessage() throws UnfitSourceException {
    assertThat(responses().request("req-4"))
        .contains("\"status\":\"error\"", "\"latency_seconds\":0.1")
        .doesNotContain("4096");
  }

  @Test
  void skipsChunks_andRejectsWhatTellsNoTime() throws UnfitSourceException {
    AdapterRun run = responses();

    assertThat(run.skipped).containsEntry(VllmResponses.PARTIAL, 1);
    assertThat(run.refused).hasSize(1);
    assertThat(run.refused.get(0)).contains("latency_seconds");
  }

  @Test
  void readsSpans() throws UnfitSourceException {
    AdapterRun run = AdapterRun.of(AdapterFormat.VLLM, LLM, "vllm-spans.json");

    assertThat(run.refused).isEmpty();
    assertThat(run.request("cmpl-7"))
        .contains(
            "\"deployment\":\"llm\"",
            "\"arrived_at\":\"2025-12-29T09:20:00.100Z\"",
            "\"latency_seconds\":1.84",
            "\"queue_seconds\":0.012",
            "\"inference_seconds\":1.79",
            "\"time_to_first_token_seconds\":0.12",
            "\"stage_seconds\":{\"prefill\":0.1,\"decode\":1.69}",
            "\"prompt_tokens\":6,\"output_tokens\":16")
        .doesNotContain("batch", "cache");
  }
}
