package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KserveEventsTest {
  private static final AdapterSettings OPEN =
      new AdapterSettings(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private static AdapterRun structured() throws UnfitSourceException {
    return AdapterRun.of(AdapterFormat.KSERVE, OPEN, "kserve-structured-1.0.ndjson");
  }

  @Test
  void pairsRequestAndResponseOfAnId() throws UnfitSourceException {
    AdapterRun run = structured();

    assertThat(run.refused).isEmpty();
    assertThat(run.request("36a8"))
        .contains(
            "\"deployment\":\"qwen-image\"",
            "\"arrived_at\":\"2026-09-20T10:11:10Z\",\"finished_at\":\"2026-09-20T10:11:12.500Z\"",
            "\"latency_seconds\":2.5",
            "\"inference_seconds\":2.28",
            "\"width\":1024,\"height\":768,\"images\":2,\"steps\":28",
            "\"modality\":\"image\"")
        .doesNotContain("private", "aaaa");
  }

  @Test
  void pairsAResponseThatCameFirst() throws UnfitSourceException {
    assertThat(structured().request("early"))
        .contains("\"latency_seconds\":2.0", "\"inference_seconds\":1.5")
        .doesNotContain("width");
  }

  @Test
  void givesARequestWithoutResponseAsAnError_onceItsTimeIsOver() throws UnfitSourceException {
    AdapterRun run = structured();

    assertThat(run.request("lost"))
        .contains(
            "\"status\":\"error\"",
            "\"error\":\"no_response\"",
            "\"finished_at\":\"2026-09-20T10:27:00Z\"",
            "\"width\":512")
        .doesNotContain("latency_seconds");
    assertThat(run.skipped)
        .containsEntry(KserveEvents.UNDECIDED, 1)
        .containsEntry(KserveEvents.OTHER, 1)
        .containsEntry(KserveEvents.PAIRED, 2);
  }

  @Test
  void readsTheBinaryForm_ofKcatAndOfHeaders() throws UnfitSourceException {
    AdapterRun run = AdapterRun.of(AdapterFormat.KSERVE, OPEN, "kserve-binary-kcat.ndjson");

    assertThat(run.request("k-1"))
        .contains(
            "\"deployment\":\"llama\"",
            "\"latency_seconds\":1.25",
            "\"temperature\":0.5",
            "\"prompt_tokens\":3,\"output_tokens\":7",
            "\"finish_reason\":\"stop\"")
        .doesNotContain("private");
  }

  @Test
  void givesUpAfterItsPatience_whenOnlyTheClockPasses() {
    AdapterRun run = new AdapterRun();
    Adapter adapter = AdapterFormat.KSERVE.open(OPEN);
    String request = AdapterRun.lines("kserve-structured-1.0.ndjson").get(0);
    adapter.take(new SourceLine(request.getBytes(StandardCharsets.UTF_8), 0, 1), run);

    adapter.pass(Instant.parse("2026-09-20T10:26:09Z"), run);
    assertThat(run.events).isEmpty();
    adapter.pass(Instant.parse("2026-09-20T10:26:11Z"), run);

    assertThat(run.request("36a8")).contains("no_response");
  }

  @Test
  void rejectsAnEventWithoutIdOrTime() throws UnfitSourceException {
    AdapterRun run =
        AdapterRun.ofLines(
            AdapterFormat.KSERVE,
            OPEN,
            List.of(
                "{\"specversion\":\"1.0\",\"type\":\"org.kubeflow.serving.inference.request\"}",
                "{\"specversion\":\"1.0\",\"type\":\"org.kubeflow.serving.inference.request\",\"id\":\"a\"}"));

    assertThat(run.rejected).containsEntry("missing_field", 1).containsEntry("bad_time", 1);
  }
}
