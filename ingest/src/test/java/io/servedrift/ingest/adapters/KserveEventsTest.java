package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.capture.CaptureText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    Instant came = Instant.parse("2026-09-20T12:00:00Z");
    adapter.take(new SourceLine(request.getBytes(StandardCharsets.UTF_8), 0, 1, came), run);

    adapter.pass(came.plus(KserveEvents.PATIENCE), run);
    assertThat(run.events).isEmpty();
    adapter.pass(came.plus(KserveEvents.PATIENCE).plusMillis(1), run);

    assertThat(run.request("36a8")).contains("no_response");
  }

  private static String event(String id, String kind, String time, String data) {
    return ("{\"specversion\":\"1.0\",\"id\":\"%s\",\"type\":\"org.kubeflow.serving.inference.%s\","
            + "\"time\":\"%s\",\"inferenceservicename\":\"s\",\"data\":%s}")
        .formatted(id, kind, time, data);
  }

  private static AdapterRun run(List<String> lines) throws UnfitSourceException {
    return AdapterRun.ofLines(AdapterFormat.KSERVE, OPEN, lines);
  }

  @Test
  void letsNoSingleWrongClockEndTheOthersWait() throws UnfitSourceException {
    List<String> lines = new ArrayList<>();
    lines.add(event("lost", "request", "2026-09-20T10:00:00Z", "{}"));
    lines.add(event("w", "request", "2099-01-01T00:00:00Z", "{}"));
    lines.add(event("w", "response", "2099-01-01T00:00:01Z", "{}"));
    lines.add(event("w2", "request", "2099-01-01T00:00:00Z", "{}"));
    for (int i = 0; i < 60; i++) {
      lines.add(event("r" + i, "request", "2026-09-20T10:%02d:00Z".formatted(i), "{}"));
      lines.add(event("r" + i, "response", "2026-09-20T10:%02d:01Z".formatted(i), "{}"));
    }
    AdapterRun run = run(lines);

    assertThat(run.request("lost")).contains("\"error\":\"no_response\"");
    assertThat(run.ofType("request")).hasSize(62);
    assertThat(run.request("r30")).contains("\"status\":\"ok\"", "\"latency_seconds\":1.0");
    assertThat(run.skipped).containsEntry(KserveEvents.UNDECIDED, 1);
  }

  @Test
  void endsNoWaitByASlowClockOfANode_orALateDelivery() {
    AdapterRun run = new AdapterRun();
    Adapter adapter = AdapterFormat.KSERVE.open(OPEN);
    Instant now = Instant.parse("2026-09-20T10:00:00Z");
    String request = event("a", "request", "2026-09-20T09:00:00Z", "{}");
    String response = event("a", "response", "2026-09-20T09:00:02Z", "{}");
    adapter.take(new SourceLine(request.getBytes(StandardCharsets.UTF_8), 0, 1, now), run);
    adapter.pass(now.plusSeconds(1), run);
    adapter.take(
        new SourceLine(response.getBytes(StandardCharsets.UTF_8), 1, 1, now.plusSeconds(1)), run);

    assertThat(run.ofType("request")).hasSize(1);
    assertThat(run.request("a")).contains("\"status\":\"ok\"", "\"latency_seconds\":2.0");
  }

  @Test
  void looksAtTheClockAlone_whereThereIsOne() {
    AdapterRun run = new AdapterRun();
    Adapter adapter = AdapterFormat.KSERVE.open(OPEN);
    Instant came = Instant.parse("2026-09-20T10:00:00Z");
    adapter.pass(came, run);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      lines.add(event("w" + i, "request", "2099-01-01T00:00:00Z", "{}"));
    }
    lines.add(event("a", "request", "2026-09-20T10:00:00Z", "{}"));
    lines.forEach(
        line ->
            adapter.take(new SourceLine(line.getBytes(StandardCharsets.UTF_8), 0, 1, came), run));
    adapter.pass(Instant.parse("2026-09-20T10:14:59Z"), run);
    assertThat(run.events).isEmpty();
    adapter.pass(Instant.parse("2026-09-20T10:15:01Z"), run);

    assertThat(run.events).as("a clock far ahead holds nothing for ever").hasSize(10);
    assertThat(run.request("a")).contains("no_response");
  }

  @Test
  void leavesTheOutcomeToTheRuntime_whenItAnsweredWithStatus200() throws UnfitSourceException {
    String abort =
        "{\"meta_info\":{\"finish_reason\":{\"type\":\"abort\",\"message\":\"timed out\","
            + "\"status_code\":503}}}";
    AdapterRun run =
        run(
            List.of(
                event("a", "request", "2026-09-20T10:00:00Z", "{}"),
                event("a", "response", "2026-09-20T10:00:01Z", abort),
                event("b", "request", "2026-09-20T10:00:00Z", "{}"),
                event("b", "response", "2026-09-20T10:00:01Z", "{\"error\":{\"code\":1}}"),
                event("c", "request", "2026-09-20T10:00:00Z", "{}"),
                event("c", "response", "2026-09-20T10:00:01Z", "{\"error\":null}")));

    assertThat(run.request("a")).contains("\"status\":\"timeout\"");
    assertThat(run.request("b")).contains("\"status\":\"error\"");
    assertThat(run.request("c")).contains("\"status\":\"ok\"");
  }

  private static AdapterSettings served(String model) {
    return OPEN.withCaptured(
        CaptureText.together(
            List.of(
                Objects.requireNonNull(
                    CaptureText.of(
                        "{\"type\":\"config\",\"config\":{\"batching\":{\"mode\":\"dynamic\"}},\"model\":"
                            + model
                            + "}")))));
  }

  private static AdapterRun answered(String model, AdapterSettings settings)
      throws UnfitSourceException {
    return AdapterRun.ofLines(
        AdapterFormat.KSERVE,
        settings,
        List.of(
            event("a", "request", "2026-09-20T10:00:00Z", "{}"),
            event("a", "response", "2026-09-20T10:00:01Z", "{\"model\":\"" + model + "\"}")));
  }

  @Test
  void keepsTheModelThatTheRecordNames_andAddsWhatIsKnownOfIt() throws UnfitSourceException {
    AdapterSettings settings = served("{\"name\":\"qwen\",\"revision\":\"r1\"}");
    AdapterRun same = answered("qwen", settings);
    AdapterRun other = answered("llama", settings);
    AdapterRun unnamed = answered("default", settings);

    assertThat(same.request("a"))
        .contains("\"model\":{\"name\":\"qwen\",\"revision\":\"r1\"}", "\"mode\":\"dynamic\"");
    assertThat(same.notes).isEmpty();
    assertThat(other.request("a"))
        .contains("\"model\":{\"name\":\"llama\"}", "\"mode\":\"dynamic\"");
    assertThat(other.notes).containsEntry(EventDraft.OTHER_MODEL, 1);
    assertThat(unnamed.request("a")).contains("\"model\":{\"name\":\"qwen\",\"revision\":\"r1\"}");
  }

  @Test
  void addsTheNameToAModelOfWhichMoreIsKnown() throws UnfitSourceException {
    AdapterRun run = answered("qwen", served("{\"revision\":\"r1\"}"));

    assertThat(run.request("a")).contains("\"revision\":\"r1\"", "\"name\":\"qwen\"");
  }

  @Test
  void takesNoHalfOnceMore_whenItsRequestIsKnown() throws UnfitSourceException {
    String request = event("a", "request", "2026-09-20T10:00:00Z", "{}");
    String response = event("a", "response", "2026-09-20T10:00:01Z", "{}");
    AdapterRun run = run(List.of(request, response, request, response));

    assertThat(run.ofType("request")).hasSize(1);
    assertThat(run.skipped).isEqualTo(Map.of(KserveEvents.PAIRED, 1, KserveEvents.REPEATED, 2));
  }

  @Test
  void tellsWhereWhatWaitsStands() {
    AdapterRun run = new AdapterRun();
    Adapter adapter = AdapterFormat.KSERVE.open(OPEN);
    String[] lines = {
      event("a", "request", "2026-09-20T10:00:00Z", "{}"),
      event("b", "request", "2026-09-20T10:00:00Z", "{}"),
      event("a", "response", "2026-09-20T10:00:01Z", "{}"),
      event("c", "response", "2026-09-20T10:00:01Z", "{}")
    };
    for (int i = 0; i < lines.length; i++) {
      adapter.take(new SourceLine(lines[i].getBytes(StandardCharsets.UTF_8), 7, 100 + i), run);
    }
    List<String> held = new ArrayList<>();
    adapter.held(line -> held.add(line.file() + "@" + line.number()));

    assertThat(held).containsExactlyInAnyOrder("7@101", "7@103");
  }

  @Test
  void pairsWithinAPredictorOfANamespace() throws UnfitSourceException {
    String request = event("a", "request", "2026-09-20T10:00:00Z", "{}");
    String response = event("a", "response", "2026-09-20T10:00:01Z", "{}");
    AdapterRun run =
        run(
            List.of(
                request.replace("\"data\"", "\"component\":\"transformer\",\"data\""),
                request.replace("\"data\"", "\"namespace\":\"one\",\"data\""),
                response.replace("\"data\"", "\"namespace\":\"two\",\"data\""),
                request,
                request,
                response));

    assertThat(run.ofType("request")).hasSize(1);
    assertThat(run.skipped)
        .containsEntry(KserveEvents.COMPONENT, 1)
        .containsEntry(KserveEvents.REPLACED, 1)
        .containsEntry(KserveEvents.UNDECIDED, 1)
        .containsEntry(KserveEvents.NO_REQUEST, 1);
  }

  @Test
  void holdsNoIdThatNoRequestMayHave() throws UnfitSourceException {
    AdapterRun run = run(List.of(event("x".repeat(257), "request", "2026-09-20T10:00:00Z", "{}")));

    assertThat(run.rejected).containsEntry("too_large", 1);
    assertThat(run.skipped).isEmpty();
  }

  @Test
  void holdsNothingOfUnboundedLength() throws UnfitSourceException {
    String request = event("a", "request", "2026-09-20T10:00:00Z", "{}");
    String longName = "x".repeat(2_000);
    AdapterRun run =
        run(
            List.of(
                request.replace("\"data\"", "\"namespace\":\"" + longName + "\",\"data\""),
                request.replace("\"data\"", "\"endpoint\":\"" + longName + "\",\"data\""),
                request.replace("ename\":\"s\"", "ename\":\"" + longName + "\""),
                event("b", "response", "2026-09-20T10:00:00Z", "{\"model\":\"" + longName + "\"}"),
                event(
                    "c",
                    "response",
                    "2026-09-20T10:00:00Z",
                    "{\"choices\":[{\"finish_reason\":\"" + longName + "\"}]}")));

    assertThat(run.rejected).isEqualTo(Map.of("too_large", 5));
    assertThat(run.skipped).isEmpty();
  }

  @Test
  void takesDefaultForNoModel() throws UnfitSourceException {
    AdapterRun without = answered("default", OPEN);
    AdapterRun revision = answered("default", served("{\"revision\":\"r1\"}"));

    assertThat(without.request("a")).doesNotContain("\"model\"");
    assertThat(revision.request("a")).contains("\"model\":{\"revision\":\"r1\"}");
  }

  @Test
  void refusesALiveSourceOfLocalTimes_butNotForOneOfThem() throws UnfitSourceException {
    AdapterRun run = new AdapterRun();
    Adapter adapter = AdapterFormat.KSERVE.open(OPEN);
    String local = event("a", "request", "2026-09-20T10:00:00", "{}");
    for (int i = 1; i < 20; i++) {
      adapter.take(new SourceLine(local.getBytes(StandardCharsets.UTF_8), 0, i), run);
      adapter.require();
    }
    adapter.take(new SourceLine(local.getBytes(StandardCharsets.UTF_8), 0, 20), run);

    assertThat(run.rejected).isEqualTo(Map.of("bad_time", 20));
    assertThatThrownBy(adapter::require)
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("--time-zone");
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
