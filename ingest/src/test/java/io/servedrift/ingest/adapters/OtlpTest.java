package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.capture.ConfigCapture;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OtlpTest {
  private static final AdapterSettings OPEN =
      new AdapterSettings(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private static AdapterRun run() throws UnfitSourceException {
    return AdapterRun.of(AdapterFormat.OTLP, OPEN, "otlp-genai-1.41.ndjson");
  }

  @Test
  void readsASpanAsARequest_ofTheServiceAsDeployment() throws UnfitSourceException {
    AdapterRun run = run();

    assertThat(run.refused).isEmpty();
    assertThat(run.request("resp-1"))
        .contains(
            "\"deployment\":\"image-gen\"",
            "\"arrived_at\":\"2025-12-29T09:20:00Z\",\"finished_at\":\"2025-12-29T09:20:02.500Z\"",
            "\"latency_seconds\":2.5",
            "\"modality\":\"image\",\"seed\":7,\"images\":2",
            "\"model\":{\"name\":\"flux-dev\"}",
            "\"cache\":{\"hit\":true}")
        .doesNotContain("batch");
  }

  @Test
  void keepsTheModelOfTheSpan_besideAConfigurationOfAnother() throws UnfitSourceException {
    AdapterSettings settings =
        OPEN.withCaptured(
            ConfigCapture.ofServerInfo(
                JsonNodeFactory.instance
                    .objectNode()
                    .put("model_path", "other")
                    .put("revision", "r1")
                    .put("tp_size", 2)));
    AdapterRun run = AdapterRun.of(AdapterFormat.OTLP, settings, "otlp-genai-1.41.ndjson");

    assertThat(run.request("resp-1"))
        .contains("\"model\":{\"name\":\"flux-dev\"}", "\"tensor\":2")
        .doesNotContain("r1");
  }

  @Test
  void readsEvaluationsOfSpansAndOfLogsAsScores() throws UnfitSourceException {
    assertThat(run().ofType("score").toString())
        .isEqualTo(
            "[{\"type\":\"score\",\"request_id\":\"resp-1\",\"name\":\"clip\",\"value\":0.31,"
                + "\"scored_at\":\"2025-12-29T09:20:02.600Z\",\"deployment\":\"image-gen\"}, "
                + "{\"type\":\"score\",\"request_id\":\"resp-1\",\"name\":\"aesthetic\","
                + "\"value\":5.5,\"scored_at\":\"2025-12-29T09:20:09Z\","
                + "\"deployment\":\"image-gen\"}]");
  }

  @Test
  void readsATimeoutAsOne_andSkipsWhatIsNoGeneration() throws UnfitSourceException {
    AdapterRun run = run();

    assertThat(run.request("5b8efff798038103d269b633813fc60c-ccc19b7ec3c1b174"))
        .contains("\"status\":\"timeout\"", "\"error\":\"timeout\"");
    assertThat(run.skipped).containsEntry(Otlp.OTHER, 2);
  }

  @Test
  void takesNoSpanOfAnAgentOrTool_butARuntimesUnderAnyName() throws UnfitSourceException {
    String chat = AdapterRun.lines("otlp-genai-1.41.ndjson").get(0);
    for (String operation : List.of("invoke_agent", "execute_tool", "embeddings")) {
      AdapterRun run =
          AdapterRun.ofLines(
              AdapterFormat.OTLP,
              OPEN,
              List.of(chat.replaceAll("\"(generate_content|chat)\"", "\"" + operation + "\"")));

      assertThat(run.ofType("request")).isEmpty();
      assertThat(run.skipped).containsEntry(Otlp.OPERATION, 2);
    }
    String runtime =
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"a\",\"spanId\":\"b\","
            + "\"name\":\"llm_request\",\"startTimeUnixNano\":\"1767000000000000000\","
            + "\"endTimeUnixNano\":\"1767000001000000000\",\"attributes\":["
            + "{\"key\":\"gen_ai.operation.name\",\"value\":{\"stringValue\":\"own\"}}]}]}]}]}";
    assertThat(
            AdapterRun.ofLines(AdapterFormat.OTLP, AdapterSettings.of("d"), List.of(runtime))
                .ofType("request"))
        .hasSize(1);
  }

  @Test
  void takesNoCountsThatContradict() throws UnfitSourceException {
    String line = AdapterRun.lines("otlp-genai-1.41.ndjson").get(0).replace("\"40\"", "\"400\"");
    AdapterRun run = AdapterRun.ofLines(AdapterFormat.OTLP, OPEN, List.of(line));

    assertThat(run.notes).containsEntry(SglangMetaInfo.TOO_MANY_CACHED, 1);
    assertThat(run.request("resp-1")).contains("\"cache\":{\"hit\":true}");
  }

  /** A body of one span, written by the numbers of opentelemetry-proto. */
  private static byte[] body(byte[] span) {
    byte[] resource = bytes(1, keyValue("service.name", bytes(1, text("svc"))));
    byte[] scope = bytes(2, span);
    return bytes(1, join(bytes(1, resource), bytes(2, scope)));
  }

  private static byte[] score(double value) {
    return join(
        bytes(6, keyValue("gen_ai.response.id", bytes(1, text("r-1")))),
        bytes(6, keyValue("gen_ai.evaluation.name", bytes(1, text("clip")))),
        bytes(
            6,
            keyValue("gen_ai.evaluation.score.value", fixed64(4, Double.doubleToLongBits(value)))),
        bytes(12, text("gen_ai.evaluation.result")));
  }

  @Test
  void takesTheOthers_whereOneLogRecordHasNoTime() {
    byte[] with = join(fixed64(1, 1767000002000000000L), score(0.25));
    byte[] resource = bytes(1, keyValue("service.name", bytes(1, text("svc"))));
    byte[] scope = join(bytes(2, score(0.5)), bytes(2, with));
    byte[] body = bytes(1, join(bytes(1, resource), bytes(2, scope)));
    AdapterRun run = new AdapterRun();
    AdapterFormat.OTLP.open(AdapterSettings.of("d")).take(new SourceLine(body, 0, 1), run);

    assertThat(run.rejected).isEmpty();
    assertThat(run.ofType("score")).singleElement().asString().contains("\"value\":0.25");
    assertThat(run.refused).as("without its time").hasSize(1);
  }

  @Test
  void takesTheOthers_whereOneSpanHasNoTraceId() {
    byte[] times = join(fixed64(7, 1767000000100000000L), fixed64(8, 1767000001100000000L));
    byte[] id = bytes(9, keyValue("gen_ai.request.id", bytes(1, text("r-1"))));
    byte[] whole = join(bytes(1, new byte[16]), bytes(5, text("llm_request")), times, id);
    byte[] other = join(bytes(5, text("something else")), times);
    byte[] body = bytes(1, bytes(2, join(bytes(2, other), bytes(2, whole))));
    AdapterRun run = new AdapterRun();
    AdapterFormat.OTLP.open(AdapterSettings.of("d")).take(new SourceLine(body, 0, 1), run);

    assertThat(run.rejected).isEmpty();
    assertThat(run.request("r-1")).contains("\"latency_seconds\":1.0");
    assertThat(run.skipped).containsEntry(Otlp.OTHER, 1);
  }

  @Test
  void readsProtobufToTheSameAsJson() {
    byte[] span =
        join(
            bytes(1, new byte[] {0x5b, (byte) 0x8e}),
            bytes(2, new byte[] {1, 2}),
            bytes(3, text("state=1")),
            bytes(5, text("llm_request")),
            new byte[] {0x30, 2},
            fixed64(7, 1767000000100000000L),
            fixed64(8, 1767000001940000000L),
            bytes(9, keyValue("gen_ai.latency.e2e", fixed64(4, Double.doubleToLongBits(1.84)))),
            bytes(9, keyValue("gen_ai.usage.prompt_tokens", new byte[] {0x18, (byte) 0x96, 0x01})),
            bytes(9, keyValue("flag", new byte[] {0x10, 1})),
            bytes(
                9,
                keyValue(
                    "gen_ai.response.finish_reasons", bytes(5, bytes(1, bytes(1, text("stop")))))),
            bytes(15, new byte[] {0x18, 2}));

    ObjectNode json = OtlpProtobuf.traces(body(span));

    assertThat(json).isNotNull();
    JsonNode read = json.at("/resourceSpans/0/scopeSpans/0/spans/0");
    assertThat(read.toString())
        .isEqualTo(
            "{\"traceId\":\"5b8e\",\"spanId\":\"0102\",\"name\":\"llm_request\","
                + "\"startTimeUnixNano\":\"1767000000100000000\","
                + "\"endTimeUnixNano\":\"1767000001940000000\",\"attributes\":["
                + "{\"key\":\"gen_ai.latency.e2e\",\"value\":{\"doubleValue\":1.84}},"
                + "{\"key\":\"gen_ai.usage.prompt_tokens\",\"value\":{\"intValue\":150}},"
                + "{\"key\":\"flag\",\"value\":{\"boolValue\":true}},"
                + "{\"key\":\"gen_ai.response.finish_reasons\",\"value\":{\"arrayValue\":"
                + "{\"values\":[{\"stringValue\":\"stop\"}]}}}],\"status\":{\"code\":2}}");
    AdapterRun run = new AdapterRun();
    new Otlp(OPEN).take(json, new SourceLine(new byte[0], 0, 1), run);
    assertThat(run.refused).isEmpty();
    assertThat(run.request("5b8e-0102"))
        .contains("\"deployment\":\"svc\"", "\"status\":\"error\"", "\"prompt_tokens\":150");
  }

  @Test
  void tellsSpansFromLogRecords_whereNothingSaysWhichTheyAre() {
    byte[] trace = HexFormat.of().parseHex("5b8efff798038103d269b633813fc60c");
    byte[] span =
        join(
            bytes(1, trace),
            bytes(2, Arrays.copyOf(trace, 8)),
            bytes(5, text("llm_request")),
            fixed64(7, 1767000000100000000L),
            fixed64(8, 1767000001100000000L),
            bytes(9, keyValue("gen_ai.request.id", bytes(1, text("r-1")))));
    byte[] record =
        join(
            fixed64(1, 1767000002000000000L),
            bytes(3, text("INFO")),
            bytes(5, bytes(1, text("a body"))),
            bytes(6, keyValue("gen_ai.response.id", bytes(1, text("r-1")))),
            bytes(6, keyValue("gen_ai.evaluation.name", bytes(1, text("clip")))),
            bytes(
                6,
                keyValue(
                    "gen_ai.evaluation.score.value", fixed64(4, Double.doubleToLongBits(0.25)))),
            bytes(9, trace),
            bytes(10, Arrays.copyOf(trace, 8)),
            bytes(12, text("gen_ai.evaluation.result")));
    AdapterRun run = new AdapterRun();
    Adapter adapter = AdapterFormat.OTLP.open(AdapterSettings.of("d"));
    for (byte[] body : List.of(body(span), body(record), body(join(span, new byte[] {0x0B})))) {
      adapter.take(new SourceLine(body, 0, 1), run);
    }

    assertThat(run.request("r-1")).contains("\"latency_seconds\":1.0");
    assertThat(run.ofType("score"))
        .singleElement()
        .asString()
        .contains("\"name\":\"clip\",\"value\":0.25");
    assertThat(run.rejected).as("the cut one").isEqualTo(Map.of("bad_json", 1));
    assertThat(run.problems)
        .singleElement()
        .asString()
        .contains("neither JSON nor whole traces or logs in protobuf");
    assertThat(OtlpProtobuf.either(new byte[0])).isNull();
    assertThat(OtlpProtobuf.either(text("\n{}"))).isNull();
  }

  @Test
  void readsNothingFromWhatIsNoProtobuf() {
    assertThat(OtlpProtobuf.traces(new byte[] {0x0A, 0x7F, 1})).isNull();
    byte[] empty = new byte[2 * OtlpProtobuf.MOST_MESSAGES];
    for (int i = 0; i < empty.length; i += 2) {
      empty[i] = 0x0A;
    }
    assertThat(OtlpProtobuf.traces(empty)).isNull();
    assertThat(OtlpProtobuf.traces(Arrays.copyOf(empty, empty.length - 2))).isNotNull();
    assertThat(OtlpProtobuf.traces(new byte[] {(byte) 0xFF})).isNull();
    assertThat(OtlpProtobuf.logs(new byte[] {0x0B})).isNull();
    assertThat(OtlpProtobuf.logs(new byte[0])).isEmpty();
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] keyValue(String key, byte[] value) {
    return join(bytes(1, text(key)), bytes(2, value));
  }

  private static byte[] bytes(int field, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(field << 3 | 2);
    int length = content.length;
    while (length > 0x7F) {
      out.write((length & 0x7F) | 0x80);
      length >>>= 7;
    }
    out.write(length);
    out.writeBytes(content);
    return out.toByteArray();
  }

  private static byte[] fixed64(int field, long value) {
    return ByteBuffer.allocate(9)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) (field << 3 | 1))
        .putLong(value)
        .array();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
