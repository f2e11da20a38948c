package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * KServe's payload logger: one CloudEvent for the request and one for the response, of the same id.
 * The latency is the time between them. KServe logs only responses with status 200, so a request
 * that has none {@link #PATIENCE} later failed or was lost; it is given as an error {@code
 * no_response} at that moment. At the end of a file a younger request is left undecided.
 */
final class KserveEvents implements Adapter {
  /** How long a response may take, by the times of the events. */
  static final Duration PATIENCE = Duration.ofMinutes(15);

  static final String PAIRED = "the other half of a request";
  static final String OTHER = "an event of another kind than a logged request or response";
  static final String UNDECIDED = "a request whose response may still come";
  static final String NO_REQUEST =
      "a response whose request is not known: its latency is not either";
  static final String CROWDED = "a request given up because too many waited for a response";

  private static final int MOST_WAITING = 20_000;
  private static final String TYPE = "org.kubeflow.serving.inference.";

  /** The half that came first; of a body only what may be kept. */
  private record Half(EventDraft draft, Instant at, boolean response, SourceLine from) {}

  private final AdapterSettings settings;
  private final SourceTimes times;
  private final Map<String, Half> waiting = new LinkedHashMap<>();
  private Instant latest = Instant.MIN;

  KserveEvents(AdapterSettings settings) {
    this.settings = settings;
    this.times = new SourceTimes(settings.zone());
  }

  @Override
  public void take(SourceLine line, AdapterOutput out) {
    ObjectNode object = SourceJson.object(line.content());
    if (object == null) {
      Rejections.badJson(line, out);
      return;
    }
    CloudEvent event = CloudEvent.of(object);
    String type = event == null ? null : event.attribute("type");
    if (event == null || type == null || !type.startsWith(TYPE)) {
      out.skip(OTHER, line);
      return;
    }
    String id = event.attribute("id");
    Instant at = times.text(event.attribute("time"));
    boolean response = type.equals(TYPE + "response");
    if (id == null) {
      Rejections.missing("id", "the id that request and response share", line, out);
    } else if (at == null) {
      Rejections.badTime("time", times, line, out);
    } else if (response || type.equals(TYPE + "request")) {
      half(id, new Half(draft(event, id, response, out), at, response, line.place()), line, out);
    } else {
      out.skip(OTHER, line);
    }
  }

  private EventDraft draft(CloudEvent event, String id, boolean response, AdapterOutput out) {
    EventDraft draft = EventDraft.request(settings);
    if (!draft.has("deployment")) {
      draft.put("deployment", event.attribute("inferenceservicename"));
    }
    SourceObject body = SourceObject.of(event.data(), out::note);
    ServedBody served = new ServedBody(draft, out::note);
    if (response) {
      served.response(body);
    } else {
      served.request(body, settings.promptHash());
    }
    // Scores and reviews name what KServe logged; the runtime's own id is another.
    return draft.put("request_id", id);
  }

  private void half(String id, Half half, SourceLine line, AdapterOutput out) {
    latest = half.at().isAfter(latest) ? half.at() : latest;
    String key = half.draft().text("deployment") + "\n" + id;
    Half other = waiting.get(key);
    if (other != null && other.response() != half.response()) {
      waiting.remove(key);
      out.skip(PAIRED, other.from());
      pair(half.response() ? other : half, half.response() ? half : other, line, out);
    } else {
      Half replaced = waiting.put(key, half);
      if (replaced != null) {
        lonely(replaced, out);
      }
    }
    expire(latest, out);
    if (waiting.size() > MOST_WAITING) {
      Iterator<Half> oldest = waiting.values().iterator();
      out.skip(CROWDED, oldest.next().from());
      oldest.remove();
    }
  }

  private static void pair(Half request, Half response, SourceLine line, AdapterOutput out) {
    EventDraft draft = request.draft().addFrom(response.draft());
    Duration took = Duration.between(request.at(), response.at());
    draft
        .put("arrived_at", request.at())
        .put("finished_at", response.at())
        .put("status", "ok")
        .put("latency_seconds", took.isNegative() ? null : (Double) (took.toNanos() / 1e9));
    out.event(draft.json(), line);
  }

  private void expire(Instant now, AdapterOutput out) {
    Iterator<Half> halves = waiting.values().iterator();
    while (halves.hasNext()) {
      Half half = halves.next();
      if (!half.at().plus(PATIENCE).isBefore(now)) {
        return;
      }
      halves.remove();
      lonely(half, out);
    }
  }

  private static void lonely(Half half, AdapterOutput out) {
    if (half.response()) {
      out.skip(NO_REQUEST, half.from());
      return;
    }
    EventDraft draft =
        half.draft()
            .put("arrived_at", half.at())
            .put("finished_at", half.at().plus(PATIENCE))
            .put("status", "error")
            .put("error", "no_response");
    out.event(draft.json(), half.from());
  }

  @Override
  public void pass(Instant now, AdapterOutput out) {
    expire(now, out);
  }

  @Override
  public void end(AdapterOutput out) throws UnfitSourceException {
    times.requireZone();
    for (Half half : waiting.values()) {
      out.skip(half.response() ? NO_REQUEST : UNDECIDED, half.from());
    }
    waiting.clear();
  }
}
