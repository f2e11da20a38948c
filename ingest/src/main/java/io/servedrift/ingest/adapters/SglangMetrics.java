package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * SGLang's {@code --export-metrics-to-file}: one JSON object per request, all of {@code meta_info}
 * flattened, with the request's parameters as JSON in a string.
 */
final class SglangMetrics implements Adapter {
  static final String PARAMETERS_UNREADABLE = "request_parameters is no JSON: left out";

  static final String ABORT_WITHOUT_TIME = "an abort, of which the server writes no time";

  private final AdapterSettings settings;

  SglangMetrics(AdapterSettings settings) {
    this.settings = settings;
  }

  @Override
  public void take(SourceLine line, AdapterOutput out) {
    ObjectNode object = SourceJson.object(line.content());
    if (object == null) {
      Rejections.badJson(line, out);
      return;
    }
    SourceObject source = SourceObject.of(object, out::note);
    SglangMetaInfo meta = new SglangMetaInfo(source, out::note);
    Instant finished = meta.finished();
    Instant arrived = meta.arrived();
    if (finished == null && arrived == null && meta.isAbort()) {
      out.skip(ABORT_WITHOUT_TIME, line);
      return;
    }
    if (finished == null && arrived == null) {
      Rejections.missing(
          "request_finished_ts",
          "given, or request_received_ts: the server writes times only with --enable-metrics",
          line,
          out);
      return;
    }
    EventDraft draft = EventDraft.request(settings);
    SglangParameters.fill(draft, parameters(source, out), settings.promptHash());
    meta.fill(draft);
    out.event(draft.put("arrived_at", arrived).put("finished_at", finished).json(), line);
  }

  /** A string that holds JSON; an object where a collector decoded it already. */
  private static SourceObject parameters(SourceObject source, AdapterOutput out) {
    JsonNode member = source.any("request_parameters");
    JsonNode value = member != null && member.isTextual() ? decoded(member.textValue()) : member;
    if (member != null && (value == null || !value.isObject())) {
      out.note(PARAMETERS_UNREADABLE);
    }
    return SourceObject.of(value, out::note);
  }

  private static @Nullable JsonNode decoded(String text) {
    JsonNode value = SourceJson.value(text);
    return value != null && value.isTextual() ? SourceJson.value(value.textValue()) : value;
  }
}
