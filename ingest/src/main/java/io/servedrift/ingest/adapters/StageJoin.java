package io.servedrift.ingest.adapters;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Joins requests with what {@code performance.log} says of them, by request id, whichever comes
 * first. What waits is bounded: the oldest request then goes on without its stages. Not
 * thread-safe.
 */
final class StageJoin {
  static final String JOINED = "joined with the request of the same id";
  static final String ALONE = "stages of a request that the request log does not have";
  static final String NOT_AWAITED =
      "requests given without stages: too many waited; name performance.log first";

  private static final int MOST_REQUESTS = 20_000;
  private static final int MOST_RECORDS = 200_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private record Waiting(EventDraft draft, Instant since, SourceLine from) {}

  private record Stages(PerfRecord record, SourceLine from) {}

  private final Map<String, Waiting> requests = new LinkedHashMap<>();
  private final Map<String, Stages> records = new LinkedHashMap<>();
  private boolean anyRecord;

  /** Takes a finished request. */
  void request(String id, EventDraft draft, Instant at, SourceLine from, AdapterOutput out) {
    Stages stages = records.remove(id);
    if (stages != null) {
      stages.record().addTo(draft);
      out.skip(JOINED, stages.from());
      out.event(draft.json(), from);
      return;
    }
    Waiting earlier = requests.put(id, new Waiting(draft, at, from.place()));
    if (earlier != null) {
      out.event(earlier.draft().json(), earlier.from());
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
      record.addTo(waiting.draft());
      out.skip(JOINED, from);
      out.event(waiting.draft().json(), waiting.from());
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

  /** Live: gives requests whose stages have not come in time. */
  void pass(Instant now, AdapterOutput out) {
    Iterator<Waiting> waiting = requests.values().iterator();
    while (waiting.hasNext()) {
      Waiting one = waiting.next();
      if (one.since().plus(PATIENCE).isBefore(now)) {
        out.event(one.draft().json(), one.from());
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
   * How many records found no request, provided that each took less than the limit; else 0.
   *
   * @param seconds of the fastest request of the log, null when there is none
   */
  int fasterThan(@Nullable Double seconds) {
    if (seconds == null) {
      return 0;
    }
    for (Stages stages : records.values()) {
      Double total = stages.record().totalSeconds();
      if (total == null || total >= seconds) {
        return 0;
      }
    }
    return records.size();
  }

  private void emitOldest(AdapterOutput out) {
    Iterator<Waiting> oldest = requests.values().iterator();
    Waiting one = oldest.next();
    oldest.remove();
    out.event(one.draft().json(), one.from());
  }
}
