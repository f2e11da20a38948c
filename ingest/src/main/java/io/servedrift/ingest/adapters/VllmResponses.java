package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;

/**
 * Responses of vLLM with {@code --enable-per-request-metrics}, one JSON object per line, bare or as
 * {@code {"arrived_at":..., "finished_at":..., "request":{...}, "response":{...}}} as an access log
 * in front can write them; lines of OTLP, which vLLM's tracing gives, are read as such. A bare
 * response tells its beginning to the second ({@code created}). The latency is the time to the last
 * token, first token + (tokens - 1) x mean inter-token latency, where the line does not say more.
 */
final class VllmResponses implements Adapter {
  static final String PARTIAL = "a chunk of a stream: only the whole response tells the times";
  static final String OTHER = "an object that is no response of a model";

  private final AdapterSettings settings;
  private final SourceTimes times;
  private final Otlp otlp;

  VllmResponses(AdapterSettings settings) {
    this.settings = settings;
    this.times = new SourceTimes(settings.zone());
    this.otlp = new Otlp(settings);
  }

  @Override
  public void take(SourceLine line, AdapterOutput out) {
    ObjectNode object = SourceJson.object(line.content());
    if (object == null) {
      Rejections.badJson(line, out);
    } else if (object.has("resourceSpans") || object.has("resourceLogs")) {
      otlp.take(object, line, out);
    } else {
      response(SourceObject.of(object, out::note), line, out);
    }
  }

  private void response(SourceObject source, SourceLine line, AdapterOutput out) {
    boolean wrapped = source.has("response");
    SourceObject body = wrapped ? source.object("response") : source;
    String kind = body.text("object");
    if (kind != null && kind.endsWith(".chunk")) {
      out.skip(PARTIAL, line);
      return;
    }
    boolean error = isError(body);
    if (!error && !body.has("choices") && !body.has("data") && !body.has("usage")) {
      out.skip(OTHER, line);
      return;
    }
    EventDraft draft =
        EventDraft.request(settings)
            .put("request_id", body.text("id"))
            .put("status", error ? "error" : "ok");
    if (wrapped) {
      draft
          .put("request_id", source.text("request_id"))
          .put("arrived_at", times.text(source.text("arrived_at")))
          .put("finished_at", times.text(source.text("finished_at")))
          .put("latency_seconds", source.number("latency_seconds"));
      span(draft);
      new ServedBody(draft, out::note).request(source.object("request"), settings.promptHash());
    }
    if (!draft.has("arrived_at") && !draft.has("finished_at")) {
      draft.put("arrived_at", SourceTimes.epochSeconds(body.number("created")));
    }
    new ServedBody(draft, out::note).response(body);
    out.event(draft.json(), line);
  }

  /** Whether the body tells a failure; {@code "error": null} is none. */
  static boolean isError(SourceObject body) {
    JsonNode kind = body.any("object");
    return body.any("error") != null || (kind != null && kind.asText().equals("error"));
  }

  private static void span(EventDraft draft) {
    Instant arrived = draft.time("arrived_at");
    Instant finished = draft.time("finished_at");
    if (!draft.has("latency_seconds")
        && arrived != null
        && finished != null
        && !finished.isBefore(arrived)) {
      draft.put("latency_seconds", (Double) (Duration.between(arrived, finished).toNanos() / 1e9));
    }
  }

  @Override
  public void end(AdapterOutput out) throws UnfitSourceException {
    times.requireZone();
  }
}
