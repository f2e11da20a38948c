package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes one order out of latency panes, score panes and serving events. A pane has its turn at its
 * end plus grace (score panes: plus score grace too), a serving event at its own time plus grace,
 * or when it came if that was late ({@link EventLane}). At one time events come first, then latency
 * panes, then score panes, each by deployment, then by id. A step leaves once no lane can bring an
 * earlier one, so the order is a function of the records and not of the reading. With ticks running
 * a step waits for at most one of them.
 *
 * <p>Every step is in the journal from when it was taken until whoever got it deletes it. Not
 * thread-safe.
 */
final class JudgeSequencer {
  /** Where all records of this class and its lanes are. */
  static final String PREFIX = "sequence/";

  private static final String STEP_PREFIX = PREFIX + "step/";
  private static final String LEFT_KEY = PREFIX + "left";
  private static final String PASSED_KEY = PREFIX + "passed";

  private final long pane;
  private final long grace;
  private final long scoreGrace;
  private final Duration futureLimit;
  private final List<EventLane> lanes = new ArrayList<>();
  private final Output output;
  private final StateJournal journal;
  private final Tally tally;
  private final TreeMap<StepOrder, JudgeLog.Logged> pending = new TreeMap<>();
  private long latencyPassed = EventLane.NEVER;
  private long scoresPassed = EventLane.NEVER;
  private @Nullable StepOrder left;
  private long stepNumber;

  /** What comes out. */
  interface Output {
    /** The next step, and its record of the journal, which is the taker's to delete. */
    void step(JudgeLog.Logged step);

    /** A well-formed record that cannot be used. */
    void rejected(Reading.Rejected why, String origin, byte[] payload, long eventMicros);
  }

  /**
   * @param eventLanes how many partitions of the serving-events topic will be fed
   */
  JudgeSequencer(
      int eventLanes, PaneSettings settings, Output output, StateJournal journal, Tally tally) {
    this.pane = settings.pane().toNanos() / 1000;
    this.grace = settings.grace().toNanos() / 1000;
    this.scoreGrace = settings.scoreGrace().toNanos() / 1000;
    this.futureLimit = settings.futureLimit();
    this.output = output;
    this.journal = journal;
    this.tally = tally;
    EventLane.Taker taker =
        new EventLane.Taker() {
          @Override
          public void take(long micros, SpecificRecord event) {
            tally.count(
                event instanceof Decision
                    ? "decisions"
                    : event instanceof EvalResult ? "evals" : "serving_events");
            keep(new JudgeStep.Happening(micros, event));
          }

          @Override
          public void tooFarAhead(SpecificRecord event, String origin, long tickMicros) {
            refuseFuture(event, origin, tickMicros);
          }
        };
    for (int i = 0; i < eventLanes; i++) {
      lanes.add(new EventLane(i, settings, taker, journal, tally));
    }
  }

  /** Takes a merged pane. */
  void pane(MergedPane merged) {
    keep(
        new JudgeStep.Pane(
            merged.endMicros() + grace + (merged.kind() == PaneKind.SCORE ? scoreGrace : 0),
            merged));
  }

  /** Every pane of this kind that ends at or before {@code micros} was given. */
  void passed(PaneKind kind, long micros) {
    if (kind == PaneKind.SCORE) {
      scoresPassed = micros;
    } else {
      latencyPassed = micros;
    }
    long latency = latencyPassed;
    long scores = scoresPassed;
    journal.put(
        PASSED_KEY,
        () -> ByteBuffer.allocate(2 * Long.BYTES).putLong(latency).putLong(scores).array());
    release();
  }

  /**
   * Takes the next record of a partition of the serving-events topic: serving event, decision,
   * evaluation of a deployment or tick; anything else is refused.
   *
   * @param origin where the record stands, for dead letters
   */
  void event(int lane, SpecificRecord event, String origin) {
    if (event instanceof Tick tick) {
      lanes.get(lane).tick(EventLane.micros(tick.getAt()));
    } else if (event instanceof ServingEvent
        || event instanceof Decision
        || (event instanceof EvalResult eval && eval.getDeployment() != null)) {
      lanes.get(lane).event(event, origin);
    } else {
      refuse(
          event,
          origin,
          RejectReason.WRONG_TOPIC,
          new Problem(
              "type",
              event.getSchema().getName(),
              "serving_event, decision, eval of a deployment or tick"));
    }
    release();
  }

  /** Event time that a lane of serving events has reached, {@code Long.MIN_VALUE} before any. */
  long clockMicros(int lane) {
    long clock = lanes.get(lane).clock();
    return clock == EventLane.NEVER ? Long.MIN_VALUE : clock;
  }

  /** After the last record of all lanes: lets everything leave that is complete. */
  void finish() {
    while (!pending.isEmpty()) {
      leave(pending.firstEntry());
    }
  }

  private void keep(JudgeStep step) {
    String key = STEP_PREFIX + String.format(Locale.ROOT, "%016x", stepNumber++);
    if (pending.put(step.order(), new JudgeLog.Logged(key, step)) != null) {
      throw new IllegalStateException("two steps at " + step.order());
    }
    journal.put(key, step::encode);
  }

  /**
   * Panes are aligned, so the next one of a kind ends at least a pane after the last that passed: a
   * latency pane does not wait until the score panes of its time are complete.
   */
  private void release() {
    long latency = latencyPassed + pane + grace;
    long scores = scoresPassed + pane + grace + scoreGrace;
    long events = Long.MAX_VALUE;
    for (EventLane lane : lanes) {
      events = Math.min(events, lane.clock());
    }
    while (!pending.isEmpty()) {
      StepOrder first = pending.firstKey();
      if (!first.isBefore(events, StepOrder.Rank.EVENT)
          || !first.isBefore(latency, StepOrder.Rank.LATENCY)
          || !first.isBefore(scores, StepOrder.Rank.SCORE)) {
        return;
      }
      leave(pending.firstEntry());
    }
  }

  private void leave(Map.Entry<StepOrder, JudgeLog.Logged> first) {
    pending.remove(first.getKey());
    journal.put(LEFT_KEY, () -> first.getKey().encode());
    output.step(first.getValue());
  }

  private void refuseFuture(SpecificRecord event, String origin, long tickMicros) {
    refuse(
        event,
        origin,
        RejectReason.FUTURE_TIME,
        new Problem(
            "at",
            EventTimes.of(event).toString(),
            "at most "
                + futureLimit
                + " ahead of the partition's tick "
                + Instant.EPOCH.plus(tickMicros, ChronoUnit.MICROS)
                + "; check the clock of the node"));
  }

  private void refuse(SpecificRecord event, String origin, RejectReason reason, Problem problem) {
    output.rejected(
        new Reading.Rejected(reason.code(), List.of(problem)),
        origin,
        EventCodec.encode(event),
        EventLane.micros(EventTimes.of(event)));
  }

  /** Takes back a record that was journalled before a restart. */
  void restore(String key, byte[] value) {
    if (key.equals(PASSED_KEY)) {
      ByteBuffer in = ByteBuffer.wrap(value);
      latencyPassed = in.getLong();
      scoresPassed = in.getLong();
    } else if (key.startsWith(STEP_PREFIX)) {
      stepNumber =
          Math.max(stepNumber, Long.parseLong(key.substring(STEP_PREFIX.length()), 16) + 1);
      JudgeStep step = JudgeStep.decode(value);
      if (step instanceof JudgeStep.Pane given
          && given.pane().endMicros() - given.pane().startMicros() != pane) {
        // Panes have another length now: it fits nowhere any more.
        tally.count("journal_dropped");
        journal.delete(key);
      } else {
        pending.put(step.order(), new JudgeLog.Logged(key, step));
      }
    } else if (key.equals(LEFT_KEY)) {
      left = StepOrder.decode(value);
    } else {
      restoreLane(key, value);
    }
  }

  /** After the last {@link #restore}: the steps that had left before the restart, in order. */
  List<JudgeLog.Logged> restored() {
    if (left == null) {
      return List.of();
    }
    SortedMap<StepOrder, JudgeLog.Logged> gone = pending.headMap(left, true);
    List<JudgeLog.Logged> steps = List.copyOf(gone.values());
    gone.clear();
    return steps;
  }

  private void restoreLane(String key, byte[] value) {
    for (int i = 0; i < lanes.size(); i++) {
      if (key.startsWith(EventLane.prefix(i))) {
        lanes.get(i).restore(key, value);
        return;
      }
    }
    throw new IllegalStateException("judge state: unknown key " + key);
  }

  /** Takes what waits here out of the levels of the tally: another owner will count it again. */
  void close() {
    lanes.forEach(EventLane::close);
  }
}
