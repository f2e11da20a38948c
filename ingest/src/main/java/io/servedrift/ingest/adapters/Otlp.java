package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.RejectReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * OpenTelemetry's GenAI spans as requests and its {@code gen_ai.evaluation.result} events as scores
 * (semantic conventions for generative AI 1.41, and the {@code gen_ai.latency.*} attributes that
 * vLLM and SGLang add). A line is one body of OTLP in JSON, as collectors write it to files; a
 * record of a topic may be one in protobuf, as they write it to Kafka.
 */
final class Otlp implements Adapter {
  static final String OTHER = "a span or log record that is about no generation";
  static final String OPERATION = "a span of another operation than a generation";
  static final String NOT_OTLP = "an object with neither resourceSpans nor resourceLogs";
  static final String EMPTY = "a body without spans and log records";

  private static final String EVALUATION = "gen_ai.evaluation.result";

  /** The operations that are one call of a model; agents and tools are made of several. */
  private static final Set<String> GENERATIONS =
      Set.of("chat", "text_completion", "generate_content", "image_generation", "video_generation");

  private final AdapterSettings settings;

  Otlp(AdapterSettings settings) {
    this.settings = settings;
  }

  @Override
  public void take(SourceLine line, AdapterOutput out) {
    ObjectNode object = SourceJson.object(line.content());
    if (object == null) {
      object = OtlpProtobuf.either(line.content());
    }
    if (object != null) {
      take(object, line, out);
    } else if (OtlpProtobuf.mayBeEither(line.content())) {
      out.reject(
          RejectReason.BAD_JSON.code(),
          List.of(
              new Problem(
                  "(record)",
                  "neither JSON nor whole traces or logs in protobuf",
                  "one body of OTLP traces or logs")),
          line);
    } else {
      Rejections.badJson(line, out);
    }
  }

  /** Takes a body in its JSON form. */
  void take(ObjectNode body, SourceLine line, AdapterOutput out) {
    if (!body.has("resourceSpans") && !body.has("resourceLogs")) {
      out.skip(NOT_OTLP, line);
      return;
    }
    int records = 0;
    for (JsonNode resource : body.path("resourceSpans")) {
      String service = service(resource);
      for (JsonNode scope : resource.path("scopeSpans")) {
        for (JsonNode span : scope.path("spans")) {
          span(span, service, line, out);
          records++;
        }
      }
    }
    for (JsonNode resource : body.path("resourceLogs")) {
      String service = service(resource);
      for (JsonNode scope : resource.path("scopeLogs")) {
        for (JsonNode record : scope.path("logRecords")) {
          log(record, service, line, out);
          records++;
        }
      }
    }
    if (records == 0) {
      out.skip(EMPTY, line);
    }
  }

  private static @Nullable String service(JsonNode resource) {
    JsonNode name =
        OtlpJson.attributes(resource.path("resource").get("attributes")).get("service.name");
    return name != null && name.isTextual() && !name.textValue().startsWith("unknown_service")
        ? name.textValue()
        : null;
  }

  private void span(JsonNode span, @Nullable String service, SourceLine line, AdapterOutput out) {
    SourceObject attributes =
        SourceObject.of(OtlpJson.attributes(span.get("attributes")), out::note);
    JsonNode operation = attributes.any("gen_ai.operation.name");
    boolean ofRuntime =
        span.path("name").asText().equals("llm_request") || attributes.has("gen_ai.latency.e2e");
    if (!ofRuntime && operation == null && !attributes.has("gen_ai.request.id")) {
      out.skip(OTHER, line);
    } else if (!ofRuntime && operation != null && !GENERATIONS.contains(operation.asText())) {
      out.skip(OPERATION, line);
    } else {
      request(span, attributes, service, line, out);
    }
    String responseId = attributes.text("gen_ai.response.id");
    for (JsonNode event : span.path("events")) {
      if (event.path("name").asText().equals(EVALUATION)) {
        score(
            SourceObject.of(OtlpJson.attributes(event.get("attributes")), out::note),
            OtlpJson.time(event.get("timeUnixNano")),
            responseId != null ? responseId : requestId(span, attributes),
            service,
            line,
            out);
      }
    }
  }

  private void request(
      JsonNode span,
      SourceObject attributes,
      @Nullable String service,
      SourceLine line,
      AdapterOutput out) {
    Instant start = OtlpJson.time(span.get("startTimeUnixNano"));
    Instant end = OtlpJson.time(span.get("endTimeUnixNano"));
    EventDraft draft =
        EventDraft.request(settings)
            .put("request_id", requestId(span, attributes))
            .put("arrived_at", start)
            .put("finished_at", end);
    deployment(draft, service);
    Double told = attributes.number("gen_ai.latency.e2e");
    draft.put("latency_seconds", told != null ? told : seconds(start, end));
    outcome(draft, span, attributes);
    OtlpAttributes.fill(draft, attributes, out);
    out.event(draft.json(), line);
  }

  private static @Nullable Double seconds(@Nullable Instant start, @Nullable Instant end) {
    if (start == null || end == null || end.isBefore(start)) {
      return null;
    }
    return Duration.between(start, end).toNanos() / 1e9;
  }

  /** Scores name the response, so that is the first choice. */
  private static @Nullable String requestId(JsonNode span, SourceObject attributes) {
    for (String name : List.of("gen_ai.response.id", "gen_ai.request.id")) {
      String id = attributes.text(name);
      if (id != null) {
        return id;
      }
    }
    String trace = span.path("traceId").asText("");
    String own = span.path("spanId").asText("");
    return trace.isEmpty() && own.isEmpty() ? null : trace + "-" + own;
  }

  private static void outcome(EventDraft draft, JsonNode span, SourceObject attributes) {
    String type = attributes.text("error.type");
    JsonNode code = span.path("status").path("code");
    boolean failed = code.asInt() == 2 || code.asText().equals("STATUS_CODE_ERROR");
    boolean timeout = type != null && type.toLowerCase(Locale.ROOT).contains("timeout");
    draft.put("status", timeout ? "timeout" : failed || type != null ? "error" : "ok");
    draft.put("error", type != null && type.length() <= 256 ? type : null);
  }

  private void log(JsonNode record, @Nullable String service, SourceLine line, AdapterOutput out) {
    SourceObject attributes =
        SourceObject.of(OtlpJson.attributes(record.get("attributes")), out::note);
    String event = record.path("eventName").asText("");
    if (!event.equals(EVALUATION) && !EVALUATION.equals(attributes.text("event.name"))) {
      out.skip(OTHER, line);
      return;
    }
    Instant at = OtlpJson.time(record.get("timeUnixNano"));
    score(
        attributes,
        at != null ? at : OtlpJson.time(record.get("observedTimeUnixNano")),
        attributes.text("gen_ai.response.id"),
        service,
        line,
        out);
  }

  private void score(
      SourceObject attributes,
      @Nullable Instant at,
      @Nullable String requestId,
      @Nullable String service,
      SourceLine line,
      AdapterOutput out) {
    String own = attributes.text("gen_ai.response.id");
    EventDraft draft =
        EventDraft.score(settings)
            .put("request_id", own != null ? own : requestId)
            .put("name", attributes.text("gen_ai.evaluation.name"))
            .put("value", attributes.number("gen_ai.evaluation.score.value"))
            .put("scored_at", at);
    deployment(draft, service);
    out.event(draft.json(), line);
  }

  private static void deployment(EventDraft draft, @Nullable String service) {
    if (!draft.has("deployment")) {
      draft.put("deployment", service);
    }
  }
}
