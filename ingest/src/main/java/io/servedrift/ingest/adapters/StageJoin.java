package io.servedrift.ingest.adapters;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Joins requests with what {@code performance.log} says of them, by request id, whichever comes
 * first. What waits is bounded: the oldest request then goes on without its stages. Live a request
 * waits only where {@code performance.log} is read too, and well below the monitor's grace for late
 * records. Not thread-safe.
 */
final class StageJoin {
  static final String JOINED = "joined with the request of the same id";
  static final String ALONE = "stages of a request that the request log does not have";
  static final String NOT_AWAITED =
      "requests given without stages: too many waited; name performance.log first";

  private static final int MOST_REQUESTS = 20_000;
  private static final int MOST_RECORDS = 200_000;
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final class Waiting {
    private final EventDraft draft;
    private final SourceLine from;

    /** Of the first look at the clock that found it waiting; null before. */
    private @Nullable Instant since;

    private Waiting(EventDraft draft, SourceLine from) {
      this.draft = draft;
      this.from = from;
    }

    private boolean isDue(Instant now) {
      since = since == null ? now : since;
      return !since.plus(PATIENCE).isAfter(now);
    }

    private void give(AdapterOutput out) {
      out.event(draft.json(), from);
    }
  }

  private record Stages(PerfRecord record, SourceLine from) {}

  private final Map<String, Waiting> requests = new LinkedHashMap<>();
  private final Map<String, Stages> records = new LinkedHashMap<>();
  private boolean anyRecord;

  /** Takes a finished request. */
  void request(String id, EventDraft draft, SourceLine from, AdapterOutput out) {
    Stages stages = records.remove(id);
    if (stages != null) {
      stages.record().addTo(draft);
      out.skip(JOINED, stages.from());
      out.event(draft.json(), from);
      return;
    }
    Waiting earlier = requests.put(id, new Waiting(draft, from.place()));
    if (earlier != null) {
      earlier.give(out);
    }
    if (requests.size() > MOST_REQUESTS) {
      if (anyRecord) {
        out.note(NOT_AWAITED);
      }
      emitOldest(out);
    }
  }

  /** Takes what the pipeline measured. */
  void record(PerfRecord record, SourceLine from, AdapterOutput out) {
    anyRecord = true;
    Waiting waiting = requests.remove(record.requestId());
    if (waiting != null) {
      record.addTo(waiting.draft);
      out.skip(JOINED, from);
      waiting.give(out);
      return;
    }
    Stages earlier = records.put(record.requestId(), new Stages(record, from.place()));
    if (earlier != null) {
      out.skip(ALONE, earlier.from());
    }
    if (records.size() > MOST_RECORDS) {
      Iterator<Stages> oldest = records.values().iterator();
      out.skip(ALONE, oldest.next().from());
      oldest.remove();
    }
  }

  /** Live: gives requests whose stages have not come in time, or of which nothing tells any. */
  void pass(Instant now, AdapterOutput out) {
    Iterator<Waiting> waiting = requests.values().iterator();
    while (waiting.hasNext()) {
      Waiting one = waiting.next();
      if (!anyRecord || one.isDue(now)) {
        one.give(out);
        waiting.remove();
      }
    }
  }

  /** Gives everything. */
  void end(AdapterOutput out) {
    while (!requests.isEmpty()) {
      emitOldest(out);
    }
    records.values().forEach(stages -> out.skip(ALONE, stages.from()));
    records.clear();
  }

  /**
   * How many records found no request and took less than the limit; 0 when that is no pattern: more
   * than a tenth as many took longer. Warm-ups are slow and stand in no request log.
   *
   * @param seconds of the fastest request of the log, null when there is none
   */
  int fasterThan(@Nullable Double seconds) {
    if (seconds == null) {
      return 0;
    }
    int faster = 0;
    for (Stages stages : records.values()) {
      Double total = stages.record().totalSeconds();
      faster += total != null && total < seconds ? 1 : 0;
    }
    return 10 * (records.size() - faster) <= faster ? faster : 0;
  }

  private void emitOldest(AdapterOutput out) {
    Iterator<Waiting> oldest = requests.values().iterator();
    Waiting one = oldest.next();
    oldest.remove();
    one.give(out);
  }
}
