package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Carries a judge through restarts. Every step that the judge took stays in the journal until the
 * judge is checkpointed: at the first step at or after each full hour of event time, all its
 * deployments at once. A checkpoint of an hour holds exactly the steps before that hour, so it is a
 * place for a replay to start from. After a restart the judge is brought to its checkpoint and
 * takes the steps since then again, in silence: their findings were sent.
 *
 * <p>A step on which the judge fails gives nothing, and its deployment begins anew with the step
 * after it. So a defect in the judgement of one deployment stops neither the others nor the stream,
 * and what comes out is the same function of the steps live, after a restart and in a replay. Not
 * thread-safe.
 */
final class JudgeLog {
  /** Where the checkpoints are. */
  static final String PREFIX = "judge/";

  private static final String CHECKPOINT_PREFIX = PREFIX + "checkpoint/";

  private final StepTaker judge;
  private final long every;
  private final Output output;
  private final StateJournal journal;
  private final Tally tally;
  private final Map<String, Long> startOf = new TreeMap<>();
  private final SortedSet<String> known = new TreeSet<>();
  private final Map<String, String> checkpointKeys = new TreeMap<>();
  private final List<String> loggedKeys = new ArrayList<>();
  private final List<Finding> found = new ArrayList<>();
  private long start = EventLane.NEVER;
  private long hour = EventLane.NEVER;
  private long keyNumber;
  private boolean silent;

  /** What comes out, in order. */
  interface Output {
    /**
     * A finding of a step that was taken whole.
     *
     * @param micros time of the step
     */
    void finding(Finding finding, long micros);

    /**
     * The judge failed; the deployment begins anew. Not told again after a restart.
     *
     * @param micros time of the step
     */
    void failed(String deployment, long micros, RuntimeException why);

    /**
     * The state of a deployment after all its steps before a full hour.
     *
     * @param micros that hour
     * @param state asked for its bytes only where they are kept
     */
    void checkpoint(String deployment, long micros, Supplier<byte[]> state);
  }

  /** A step that was taken, and the journal record that holds it. */
  record Logged(String journalKey, JudgeStep step) {}

  /** A stored checkpoint. */
  @SuppressWarnings("ArrayRecordComponent") // on its way to or from the journal, never compared
  private record Stored(String deployment, long micros, byte[] state) {
    byte[] encode() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(state.length + 64);
      DataOutputStream out = new DataOutputStream(bytes);
      try {
        out.writeUTF(deployment);
        out.writeLong(micros);
        out.write(state);
      } catch (IOException e) {
        throw new UncheckedIOException("writing to memory", e);
      }
      return bytes.toByteArray();
    }

    static Stored decode(byte[] encoded) {
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded));
      try {
        return new Stored(in.readUTF(), in.readLong(), in.readAllBytes());
      } catch (IOException e) {
        throw new IllegalStateException("judge state: a checkpoint ends too early", e);
      }
    }
  }

  /**
   * @param judges makes the judge
   * @param every how often to checkpoint, event time
   */
  JudgeLog(
      StepTaker.Maker judges, Duration every, Output output, StateJournal journal, Tally tally) {
    this.judge = judges.make(found::add, tally);
    this.every = every.toNanos() / 1000;
    this.output = output;
    this.journal = journal;
    this.tally = tally;
  }

  /** Gives the judge its next step; its journal record is now this log's to delete. */
  void take(Logged logged) {
    StepOrder order = logged.step().order();
    long full = Math.floorDiv(order.micros(), every) * every;
    if (full > hour) {
      if (hour != EventLane.NEVER) {
        checkpointAll(full);
      }
      hour = full;
    }
    loggedKeys.add(logged.journalKey());
    give(logged.step());
  }

  private void give(JudgeStep step) {
    StepOrder order = step.order();
    if (order.micros() < startOf.getOrDefault(order.deployment(), start)) {
      return;
    }
    try {
      judged(step);
    } catch (RuntimeException e) {
      fail(order.deployment(), order.micros(), e);
      return;
    }
    known.add(order.deployment());
    // Only now: an error of the output is none of the judge, and must stop the task.
    List<Finding> whole = List.copyOf(found);
    found.clear();
    if (!silent) {
      whole.forEach(finding -> output.finding(finding, order.micros()));
    }
  }

  private void judged(JudgeStep step) {
    if (step instanceof JudgeStep.Pane pane) {
      judge.pane(pane.pane());
    } else if (step instanceof JudgeStep.Happening happening) {
      if (happening.event() instanceof Decision decision) {
        judge.decision(decision);
      } else if (happening.event() instanceof EvalResult eval) {
        judge.eval(eval);
      } else {
        judge.event((ServingEvent) happening.event());
      }
    }
  }

  /**
   * The checkpoint before stays in the journal until the next one: the steps since then, which fail
   * again after a restart, begin with it.
   */
  private void fail(String deployment, long micros, RuntimeException why) {
    judge.forget(deployment);
    known.remove(deployment);
    found.clear();
    if (!silent) {
      tally.count("judge_failures");
      output.failed(deployment, micros, why);
    }
  }

  private void checkpointAll(long micros) {
    List<String> before = List.copyOf(checkpointKeys.values());
    checkpointKeys.clear();
    for (String deployment : List.copyOf(known)) {
      String key = CHECKPOINT_PREFIX + String.format(Locale.ROOT, "%016x", keyNumber++);
      Supplier<byte[]> state = once(() -> stateOf(deployment, micros));
      journal.put(key, () -> new Stored(deployment, micros, state.get()).encode());
      checkpointKeys.put(deployment, key);
      output.checkpoint(deployment, micros, state);
    }
    before.forEach(journal::delete);
    loggedKeys.forEach(journal::delete);
    loggedKeys.clear();
  }

  /** Where the judge fails: nothing, which {@link #restore} refuses, and so begins anew as well. */
  private byte[] stateOf(String deployment, long micros) {
    try {
      return judge.checkpoint(deployment);
    } catch (RuntimeException e) {
      fail(deployment, micros, e);
      return new byte[0];
    }
  }

  /** A checkpoint is large: computed only when someone keeps it, and then once for all. */
  private static Supplier<byte[]> once(Supplier<byte[]> state) {
    return new Supplier<>() {
      private byte[] computed = {};
      private boolean done;

      @Override
      public byte[] get() {
        if (!done) {
          computed = state.get();
          done = true;
        }
        return computed;
      }
    };
  }

  /** Lets the judge forget everything: another owner goes on. */
  void close() {
    known.forEach(judge::forget);
    known.clear();
  }

  /** Leaves out every step before a time: the judge begins there and knows nothing. */
  void startAt(long micros) {
    start = micros;
  }

  /**
   * Begins a deployment with a checkpoint of another run: its steps before it are left out.
   *
   * @throws IllegalArgumentException when the judge cannot read the state; then the deployment is
   *     unknown
   */
  void startWith(String deployment, long micros, byte[] state) {
    bring(deployment, state);
    startOf.put(deployment, micros);
  }

  private void bring(String deployment, byte[] state) {
    try {
      if (state.length == 0) {
        throw new IllegalArgumentException("checkpoint of " + deployment + ": is empty");
      }
      judge.restore(deployment, state);
    } catch (RuntimeException e) {
      judge.forget(deployment);
      throw new IllegalArgumentException("checkpoint of " + deployment + ": cannot be read", e);
    }
    known.add(deployment);
  }

  /** Takes back a checkpoint that was journalled before a restart. */
  void restore(String key, byte[] value) {
    if (!key.startsWith(CHECKPOINT_PREFIX)) {
      throw new IllegalStateException("judge state: unknown key " + key);
    }
    keyNumber =
        Math.max(keyNumber, Long.parseLong(key.substring(CHECKPOINT_PREFIX.length()), 16) + 1);
    Stored stored = Stored.decode(value);
    hour = Math.max(hour, stored.micros());
    try {
      bring(stored.deployment(), stored.state());
      checkpointKeys.put(stored.deployment(), key);
    } catch (IllegalArgumentException e) {
      // Of another version: the deployment starts anew, with the steps since then.
      tally.count("journal_dropped");
      journal.delete(key);
    }
  }

  /** After the last {@link #restore}: takes the steps since the checkpoint again, in silence. */
  void repeat(List<Logged> steps) {
    silent = true;
    for (Logged logged : steps) {
      hour = Math.max(hour, Math.floorDiv(logged.step().order().micros(), every) * every);
      loggedKeys.add(logged.journalKey());
      give(logged.step());
    }
    silent = false;
  }
}
