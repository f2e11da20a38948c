package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventTimes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;

/**
 * One partition of the serving-events topic: says when each of its events counts, by the rules that
 * stage 1 has for requests. Ticks move its clock. An event that lies further ahead of the last tick
 * than the future limit waits for the next one, and is refused when it is still ahead of that. An
 * event is in time when it lies at most grace behind the clock, and counts at its own time plus
 * grace; a late one counts at the clock at which it came. The first event of an id counts, repeats
 * within the horizon do not. All of it is a function of the offset order. Not thread-safe.
 */
final class EventLane {
  /** Before any tick: far enough in the past, and no sum with it overflows. */
  static final long NEVER = -9_000_000_000_000_000L;

  private final String waitPrefix;
  private final String seenPrefix;
  private final String clockKey;
  private final long grace;
  private final long horizon;
  private final long futureLimit;
  private final int maxHeld;
  private final Taker taker;
  private final StateJournal journal;
  private final Tally tally;
  private final TreeMap<Place, Waiting> room = new TreeMap<>(Place.EARLIEST);
  private final Map<String, Seen> seen = new HashMap<>();
  private long clock = NEVER;
  private long lastTick = NEVER;
  private long waitNumber;
  private long seenNumber;

  /** What becomes of events. */
  interface Taker {
    /** It counts at a time that no later call of this lane falls behind by its clock. */
    void take(long micros, SpecificRecord event);

    /** It lies too far ahead of the tick. */
    void tooFarAhead(SpecificRecord event, String origin, long tickMicros);
  }

  private record Place(long micros, long number) {
    static final Comparator<Place> EARLIEST =
        Comparator.comparingLong(Place::micros).thenComparingLong(Place::number);
  }

  private record Waiting(SpecificRecord event, String origin) {
    byte[] encode() {
      byte[] from = origin.getBytes(StandardCharsets.UTF_8);
      byte[] encoded = EventCodec.encode(event);
      return ByteBuffer.allocate(Integer.BYTES + from.length + encoded.length)
          .putInt(from.length)
          .put(from)
          .put(encoded)
          .array();
    }

    static Waiting decode(byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      byte[] from = new byte[in.getInt()];
      in.get(from);
      byte[] encoded = new byte[in.remaining()];
      in.get(encoded);
      return new Waiting(EventCodec.decode(encoded), new String(from, StandardCharsets.UTF_8));
    }
  }

  /**
   * An id that came.
   *
   * @param until clock up to which a repeat is one
   */
  private record Seen(String journalKey, long until) {
    byte[] encode(String id) {
      byte[] text = id.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(Long.BYTES + text.length).putLong(until).put(text).array();
    }
  }

  EventLane(int number, PaneSettings settings, Taker taker, StateJournal journal, Tally tally) {
    String prefix = prefix(number);
    this.waitPrefix = prefix + "wait/";
    this.seenPrefix = prefix + "seen/";
    this.clockKey = prefix + "clock";
    this.grace = micros(settings.grace());
    this.horizon = micros(settings.horizon());
    this.futureLimit = micros(settings.futureLimit());
    this.maxHeld = settings.maxHeld();
    this.taker = taker;
    this.journal = journal;
    this.tally = tally;
  }

  /** Where a lane keeps its journal records. */
  static String prefix(int number) {
    return "sequence/lane/" + number + "/";
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  /** Event time that the lane has reached: no later event counts before it. */
  long clock() {
    return clock;
  }

  /** Takes the next serving event or decision. */
  void event(SpecificRecord event, String origin) {
    long at = micros(EventTimes.of(event));
    if (lastTick != NEVER && at - lastTick <= futureLimit) {
      count(at, event);
      return;
    }
    Place place = new Place(at, waitNumber++);
    Waiting waiting = new Waiting(event, origin);
    room.put(place, waiting);
    tally.add("serving_events_waiting", 1);
    journal.put(waitKey(place), waiting::encode);
    if (room.size() > maxHeld) {
      // Ticks are interrupted: as in stage 1 the earliest goes on and moves the clock itself.
      tally.count("tick_interruptions");
      Place earliest = room.firstKey();
      Waiting next = leave(earliest);
      count(earliest.micros(), next.event());
      move(Math.max(clock, earliest.micros()), lastTick);
    }
  }

  /** Time passes. What waited comes first: it came before the tick. */
  void tick(long micros) {
    List<Place> places = new ArrayList<>(room.keySet());
    places.sort(Comparator.comparingLong(Place::number));
    for (Place place : places) {
      Waiting next = leave(place);
      if (place.micros() - micros > futureLimit) {
        tally.count("serving_events_rejected");
        taker.tooFarAhead(next.event(), next.origin(), micros);
      } else {
        count(place.micros(), next.event());
      }
    }
    move(Math.max(clock, micros), Math.max(lastTick, micros));
  }

  private Waiting leave(Place place) {
    Waiting next = room.remove(place);
    if (next == null) {
      throw new IllegalStateException("nobody waits at " + place);
    }
    journal.delete(waitKey(place));
    tally.add("serving_events_waiting", -1);
    return next;
  }

  private void count(long at, SpecificRecord event) {
    String id = JudgeStep.Happening.deploymentOf(event) + '\n' + JudgeStep.Happening.idOf(event);
    Seen before = seen.get(id);
    if (before != null && clock < before.until()) {
      tally.count("serving_events_repeated");
      return;
    }
    if (before != null) {
      journal.delete(before.journalKey());
    }
    // An event may lie ahead of the clock: its repeat must still meet it.
    Seen now = new Seen(key(seenPrefix, seenNumber++), Math.max(clock, at) + horizon);
    seen.put(id, now);
    journal.put(now.journalKey(), () -> now.encode(id));
    boolean late = at < clock - grace;
    if (late) {
      tally.count("serving_events_late");
    }
    taker.take(late ? clock : at + grace, event);
  }

  private void move(long newClock, long newTick) {
    if (newClock == clock && newTick == lastTick) {
      return;
    }
    clock = newClock;
    lastTick = newTick;
    journal.put(
        clockKey,
        () -> ByteBuffer.allocate(2 * Long.BYTES).putLong(newClock).putLong(newTick).array());
    for (Iterator<Seen> all = seen.values().iterator(); all.hasNext(); ) {
      Seen one = all.next();
      if (clock >= one.until()) {
        journal.delete(one.journalKey());
        all.remove();
      }
    }
  }

  /** Takes back a record of this lane that was journalled before a restart. */
  void restore(String key, byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    if (key.equals(clockKey)) {
      clock = in.getLong();
      lastTick = in.getLong();
    } else if (key.startsWith(waitPrefix)) {
      Waiting waiting = Waiting.decode(value);
      long number = number(key, waitPrefix);
      room.put(new Place(micros(EventTimes.of(waiting.event())), number), waiting);
      waitNumber = Math.max(waitNumber, number + 1);
      tally.add("serving_events_waiting", 1);
    } else if (key.startsWith(seenPrefix)) {
      long until = in.getLong();
      seen.put(StandardCharsets.UTF_8.decode(in).toString(), new Seen(key, until));
      seenNumber = Math.max(seenNumber, number(key, seenPrefix) + 1);
    } else {
      throw new IllegalStateException("judge state: unknown key " + key);
    }
  }

  /** Takes what waits here out of the levels of the tally. */
  void close() {
    tally.add("serving_events_waiting", -room.size());
  }

  private String waitKey(Place place) {
    return key(waitPrefix, place.number());
  }

  private static String key(String prefix, long number) {
    return prefix + String.format(Locale.ROOT, "%016x", number);
  }

  private static long number(String key, String prefix) {
    return Long.parseLong(key.substring(prefix.length()), 16);
  }
}
