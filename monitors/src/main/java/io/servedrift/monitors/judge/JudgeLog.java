package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.avro.Decision;
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
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Carries a judge through restarts. Every step that the judge took stays in the journal until the
 * judge is checkpointed: at the first step at or after each full hour of event time, all its
 * deployments at once. A checkpoint of an hour holds exactly the steps before that hour, so it is a
 * place for a replay to start from. After a restart the judge is brought to its checkpoint and
 * takes the steps since then again, in silence: their findings were sent. Not thread-safe.
 */
final class JudgeLog {
  /** Where the checkpoints are. */
  static final String PREFIX = "judge/";

  private static final String CHECKPOINT_PREFIX = PREFIX + "checkpoint/";

  private final StepTaker judge;
  private final long every;
  private final Checkpoints sink;
  private final StateJournal journal;
  private final Tally tally;
  private final Map<String, Long> startOf = new TreeMap<>();
  private final TreeMap<String, String> checkpointKeys = new TreeMap<>();
  private final List<String> loggedKeys = new ArrayList<>();
  private long start = EventLane.NEVER;
  private long hour = EventLane.NEVER;
  private long now = EventLane.NEVER;
  private long keyNumber;
  private boolean silent;

  /** Where checkpoints go besides the journal. */
  interface Checkpoints {
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
   * @param every how often to checkpoint, event time
   */
  JudgeLog(StepTaker judge, Duration every, Checkpoints sink, StateJournal journal, Tally tally) {
    this.judge = judge;
    this.every = every.toNanos() / 1000;
    this.sink = sink;
    this.journal = journal;
    this.tally = tally;
  }

  /** Time of the step that the judge has in hand. */
  long now() {
    return now;
  }

  /** Whether findings of the step in hand were sent before a restart. */
  boolean isSilent() {
    return silent;
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
    checkpointKeys.putIfAbsent(order.deployment(), "");
    now = order.micros();
    if (step instanceof JudgeStep.Pane pane) {
      judge.pane(pane.pane());
    } else if (step instanceof JudgeStep.Happening happening) {
      if (happening.event() instanceof Decision decision) {
        judge.decision(decision);
      } else {
        judge.event((ServingEvent) happening.event());
      }
    }
  }

  private void checkpointAll(long micros) {
    checkpointKeys.replaceAll(
        (deployment, before) -> {
          String key = CHECKPOINT_PREFIX + String.format(Locale.ROOT, "%016x", keyNumber++);
          Supplier<byte[]> state = once(() -> judge.checkpoint(deployment));
          journal.put(key, () -> new Stored(deployment, micros, state.get()).encode());
          if (!before.isEmpty()) {
            journal.delete(before);
          }
          sink.checkpoint(deployment, micros, state);
          return key;
        });
    loggedKeys.forEach(journal::delete);
    loggedKeys.clear();
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

  /** Leaves out every step before a time: the judge begins there and knows nothing. */
  void startAt(long micros) {
    start = micros;
  }

  /** Begins a deployment with a checkpoint of another run: its steps before it are left out. */
  void startWith(String deployment, long micros, byte[] state) {
    judge.restore(deployment, state);
    startOf.put(deployment, micros);
    checkpointKeys.putIfAbsent(deployment, "");
  }

  /** Takes back a checkpoint that was journalled before a restart. */
  void restore(String key, byte[] value) {
    if (!key.startsWith(CHECKPOINT_PREFIX)) {
      throw new IllegalStateException("judge state: unknown key " + key);
    }
    keyNumber =
        Math.max(keyNumber, Long.parseLong(key.substring(CHECKPOINT_PREFIX.length()), 16) + 1);
    Stored stored = Stored.decode(value);
    try {
      judge.restore(stored.deployment(), stored.state());
    } catch (IllegalArgumentException e) {
      // Of another version: the deployment starts anew.
      tally.count("journal_dropped");
    }
    checkpointKeys.put(stored.deployment(), key);
    hour = Math.max(hour, stored.micros());
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
