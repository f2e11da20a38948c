package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * KServe's payload logger: one CloudEvent for the request and one for the response, of the same id,
 * service, namespace and endpoint. Of a service only the predictor counts: a transformer logs the
 * same request once more. The latency is the time between the two. KServe logs only responses with
 * status 200, so a request that has none {@link #PATIENCE} later failed or was lost; it is given as
 * an error {@code no_response} at that moment. Of a live source that is after it came, whatever the
 * clock of its node says; of history by the median of the last {@value #RECENT} events, as one
 * clock may be wrong. At the end of a file a younger request is left undecided. Not thread-safe.
 */
final class KserveEvents implements Adapter {
  /** How long a response may take. */
  static final Duration PATIENCE = Duration.ofMinutes(15);

  static final String PAIRED = "the other half of a request";
  static final String OTHER = "an event of another kind than a logged request or response";
  static final String UNDECIDED = "a request whose response may still come";
  static final String NO_REQUEST =
      "a response whose request is not known: its latency is not either";
  static final String CROWDED = "a request given up because too many waited for a response";

  static final String REPLACED = "a half that another of the same id and kind took the place of";
  static final String REPEATED = "a half of a request whose outcome is known already";
  static final String COMPONENT = "an event of another component than the predictor";

  private static final int MOST_WAITING = 20_000;
  private static final int MOST_DECIDED = 20_000;
  private static final int MANY_LOCAL = 20;
  private static final int RECENT = 9;
  private static final int LEAST_RECENT = 5;
  private static final int LONGEST_ID = 256;
  private static final List<String> NAMES =
      List.of("id", "inferenceservicename", "namespace", "endpoint");

  /** Text of a body that is kept, such as a model's name or a reason. */
  private static final int LONGEST_TEXT = 1_024;

  private static final String TYPE = "org.kubeflow.serving.inference.";

  /**
   * The half that came first; of a body only what may be kept.
   *
   * @param at time of the event
   * @param since when the wait began, by the clock that ends it
   */
  private record Half(
      String key, EventDraft draft, Instant at, Instant since, boolean response, SourceLine from) {}

  private final AdapterSettings settings;
  private final SourceTimes times;
  private final Map<String, Half> waiting = new HashMap<>();
  private final NavigableSet<Half> byTime =
      new TreeSet<>(Comparator.comparing(Half::since).thenComparing(Half::key));
  private final Set<String> decided = new LinkedHashSet<>();
  private final Deque<Instant> recent = new ArrayDeque<>();
  private Instant passed = Instant.MIN;

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
    String component = event.attribute("component");
    if (component != null && !component.equals("predictor")) {
      out.skip(COMPONENT, line);
      return;
    }
    String id = event.attribute("id");
    Instant at = times.text(event.attribute("time"));
    boolean response = type.equals(TYPE + "response");
    if (id == null) {
      Rejections.missing("id", "the id that request and response share", line, out);
    } else if (isNameTooLong(event, line, out)) {
      return;
    } else if (at == null) {
      Rejections.badTime("time", times, line, out);
    } else if (response || type.equals(TYPE + "request")) {
      EventDraft draft = draft(event, id, response, out);
      String longText = draft.longerThan(LONGEST_TEXT);
      if (longText != null) {
        Rejections.tooLong(longText, LONGEST_TEXT, line, out);
        return;
      }
      Instant since = since(at, line.came());
      half(new Half(key(event, draft, id), draft, at, since, response, line.place()), line, out);
    } else {
      out.skip(OTHER, line);
    }
  }

  /** What is held must be small, as there may be many. */
  private static boolean isNameTooLong(CloudEvent event, SourceLine line, AdapterOutput out) {
    for (String name : NAMES) {
      String value = event.attribute(name);
      if (value != null && value.length() > LONGEST_ID) {
        Rejections.tooLong(name, value.length(), LONGEST_ID, line, out);
        return true;
      }
    }
    return false;
  }

  /** A clock of a node that is slow, or a delivery that is late, ends no wait. */
  private Instant since(Instant at, @Nullable Instant came) {
    return came == null ? at : came.isBefore(passed) ? passed : came;
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
      draft.put("status", VllmResponses.isError(body) ? "error" : null);
    } else {
      served.request(body, settings.promptHash());
    }
    // Scores and reviews name what KServe logged; the runtime's own id is another.
    return draft.put("request_id", id);
  }

  private static String key(CloudEvent event, EventDraft draft, String id) {
    return String.join(
        "\n",
        draft.text("deployment"),
        event.attribute("namespace"),
        event.attribute("endpoint"),
        id);
  }

  private void half(Half half, SourceLine line, AdapterOutput out) {
    Half other = waiting.remove(half.key());
    if (other != null) {
      byTime.remove(other);
    }
    if (other != null && other.response() != half.response()) {
      out.skip(PAIRED, other.from());
      decided(half.key());
      pair(half.response() ? other : half, half.response() ? half : other, line, out);
    } else if (other == null && decided.contains(half.key())) {
      out.skip(REPEATED, line);
    } else {
      if (other != null) {
        out.skip(REPLACED, other.from());
      }
      waiting.put(half.key(), half);
      byTime.add(half);
    }
    if (half.from().came() == null) {
      expireByEvents(half.at(), out);
    }
    if (waiting.size() > MOST_WAITING) {
      Half oldest = byTime.first();
      remove(oldest);
      out.skip(CROWDED, oldest.from());
    }
  }

  private void expireByEvents(Instant at, AdapterOutput out) {
    recent.addLast(at);
    if (recent.size() > RECENT) {
      recent.removeFirst();
    }
    if (recent.size() >= LEAST_RECENT) {
      expire(recent.stream().sorted().toList().get(recent.size() / 2), out);
    }
  }

  /** Events are delivered at least once: a request that comes again would seem to get no answer. */
  private void decided(String key) {
    decided.add(key);
    if (decided.size() > MOST_DECIDED) {
      Iterator<String> oldest = decided.iterator();
      oldest.next();
      oldest.remove();
    }
  }

  private void remove(Half half) {
    waiting.remove(half.key());
    byTime.remove(half);
  }

  private static void pair(Half request, Half response, SourceLine line, AdapterOutput out) {
    EventDraft draft = request.draft().addFrom(response.draft());
    Duration took = Duration.between(request.at(), response.at());
    draft
        .put("arrived_at", request.at())
        .put("finished_at", response.at())
        .put("status", draft.has("status") ? null : "ok")
        .put("latency_seconds", took.isNegative() ? null : (Double) (took.toNanos() / 1e9));
    out.event(draft.json(), line);
  }

  private void expire(Instant now, AdapterOutput out) {
    while (!byTime.isEmpty() && byTime.first().since().plus(PATIENCE).isBefore(now)) {
      Half half = byTime.first();
      remove(half);
      lonely(half, out);
    }
  }

  private void lonely(Half half, AdapterOutput out) {
    if (half.response()) {
      out.skip(NO_REQUEST, half.from());
      return;
    }
    decided(half.key());
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
    passed = now.isAfter(passed) ? now : passed;
    expire(passed, out);
  }

  @Override
  public void held(Consumer<SourceLine> each) {
    waiting.values().forEach(half -> each.accept(half.from()));
  }

  @Override
  public int waiting() {
    return waiting.size();
  }

  @Override
  public void require() throws UnfitSourceException {
    times.requireZone(MANY_LOCAL);
  }

  @Override
  public void end(AdapterOutput out) throws UnfitSourceException {
    times.requireZone();
    for (Half half : byTime) {
      out.skip(half.response() ? NO_REQUEST : UNDECIDED, half.from());
    }
    waiting.clear();
    byTime.clear();
  }
}
