package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.EventWeights;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The serving events of one deployment: the latest ones themselves, and for 30 days how many of
 * each kind came in each hour, so that a frequent kind is not blamed. Bounded. Not thread-safe.
 */
final class EventLog {
  private static final int MOST_DAYS = 30;
  private static final int MOST_RECENT = 500;
  private static final double LEAST_DAYS = 1.0 / 24;

  /** Kinds are words of senders; beyond so many they are one. */
  private static final int MOST_KINDS = 64;

  private final SortedMap<String, Kind> kinds = new TreeMap<>();
  private long sinceMicros = Long.MAX_VALUE;

  /**
   * A fault that a node was told to have, for a test or a demonstration. A finding that named it
   * would know the answer; one of the real world comes without.
   */
  private static final String ON_PURPOSE = "fault";

  private record Seen(long atMicros, String id) {}

  private static final class Kind {
    final Deque<Seen> recent = new ArrayDeque<>();
    final TreeMap<Long, Integer> byHour = new TreeMap<>();
  }

  /** Says since when the deployment is observed: the base of all rates. */
  void observedSince(long micros) {
    sinceMicros = Math.min(sinceMicros, micros);
  }

  /** Takes an event; one that says that a fault was switched on purpose is left out. */
  void add(ServingEvent event) {
    long at = Micros.of(event.getAt());
    String word = wordOf(event);
    if (event.getKind() == ServingEventKind.OTHER && word.equals(ON_PURPOSE)) {
      return;
    }
    if (!kinds.containsKey(word) && kinds.size() >= MOST_KINDS) {
      word = "other";
    }
    Kind kind = kinds.computeIfAbsent(word, k -> new Kind());
    kind.recent.addLast(new Seen(at, event.getEventId()));
    while (kind.recent.size() > MOST_RECENT) {
      kind.recent.removeFirst();
    }
    kind.byHour.merge(Math.floorDiv(at, Micros.HOUR), 1, Integer::sum);
    long oldest = kind.byHour.lastKey() - MOST_DAYS * 24L;
    kind.byHour.headMap(oldest).clear();
  }

  private static String wordOf(ServingEvent event) {
    if (event.getKind() == ServingEventKind.OTHER) {
      return event.getAttributes().getOrDefault("kind", "other");
    }
    return event.getKind().name().toLowerCase(Locale.ROOT);
  }

  /**
   * Weighs the events around an onset, in microseconds since the epoch.
   *
   * @param onlyModel whether another model, and no other configuration, serves since
   */
  EventWeights around(long earliestMicros, long onsetMicros, long latestMicros, boolean onlyModel) {
    long from = earliestMicros - EventWeights.MINUTES_BEFORE * Micros.MINUTE;
    long to = latestMicros + EventWeights.MINUTES_AFTER * Micros.MINUTE;
    long base = Math.max(Math.min(sinceMicros, from), from - MOST_DAYS * Micros.DAY);
    double days = Math.max(LEAST_DAYS, (from - base) / (double) Micros.DAY);
    List<EventWeights.History> histories = new ArrayList<>();
    kinds.forEach(
        (word, kind) -> {
          List<EventWeights.Near> near = new ArrayList<>();
          for (Seen seen : kind.recent) {
            if (seen.atMicros() >= from && seen.atMicros() < to) {
              long lag = Math.floorDiv(onsetMicros - seen.atMicros(), 1_000_000L);
              near.add(new EventWeights.Near(seen.id(), lag));
            }
          }
          int before =
              kind.byHour.headMap(Math.floorDiv(from, Micros.HOUR)).values().stream()
                  .mapToInt(Integer::intValue)
                  .sum();
          histories.add(new EventWeights.History(word, before, days, near));
        });
    return new EventWeights(histories, (to - from) / (double) Micros.MINUTE, onlyModel);
  }

  /** Whether an event of one of these kinds lies in a stretch of time. */
  boolean any(List<String> words, long fromMicros, long toMicros) {
    for (String word : words) {
      Kind kind = kinds.get(word);
      if (kind != null
          && kind.recent.stream()
              .anyMatch(s -> s.atMicros() >= fromMicros && s.atMicros() < toMicros)) {
        return true;
      }
    }
    return false;
  }

  void write(Content.Writer out) {
    out.whole(sinceMicros);
    out.count(kinds.size());
    kinds.forEach(
        (word, kind) -> {
          out.text(word);
          out.count(kind.recent.size());
          for (Seen seen : kind.recent) {
            out.whole(seen.atMicros());
            out.text(seen.id());
          }
          out.count(kind.byHour.size());
          kind.byHour.forEach(
              (hour, count) -> {
                out.whole(hour);
                out.count(count);
              });
        });
  }

  static EventLog read(Content.Reader in) {
    EventLog log = new EventLog();
    log.sinceMicros = in.whole();
    for (int left = in.count(); left > 0; left--) {
      Kind kind = new Kind();
      log.kinds.put(in.text(), kind);
      for (int events = in.count(); events > 0; events--) {
        kind.recent.addLast(new Seen(in.whole(), in.text()));
      }
      for (int hours = in.count(); hours > 0; hours--) {
        kind.byHour.put(in.whole(), in.count());
      }
    }
    return log;
  }
}
