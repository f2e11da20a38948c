package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.RollbackEvidence;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The way back as the last step of a run: tried once, and in the journal. One at a time. */
final class RollbackStep {
  private static final String ID = "rollback";

  private final RunOptions options;
  private final Timeline timeline;
  private final BooleanSupplier stopped;
  private final Consumer<String> said;

  RollbackStep(
      RunOptions options, Timeline timeline, BooleanSupplier stopped, Consumer<String> said) {
    this.options = options;
    this.timeline = timeline;
    this.stopped = stopped;
    this.said = said;
  }

  /** Whether it is still to be done. */
  boolean isLeft(RunRecord record) {
    return options.has(CheckName.ROLLBACK) && !record.isDone(ID);
  }

  /** Does it, unless a new side that mostly fails would get clients; false after a stop. */
  boolean run(Rollback.Setting setting, StepRunner runner, RunLog log)
      throws IOException, InterruptedException {
    boolean byCommand = setting.command() != null;
    if (byCommand && mostlyFails(log.record().answers())) {
      String why = "most answers of the new side are errors: clients are not switched to it";
      log.rollback(
          ID,
          new Rollback.Done(
              new RollbackEvidence(
                  false, "flip command", setting.before(), null, 0, 0, List.of(why)),
              List.of()));
      return true;
    }
    Rollback rollback = new Rollback(options, runner, timeline, stopped, said);
    if (byCommand) {
      log.flip(true);
    }
    Rollback.Done done = rollback.run(setting);
    if (byCommand && rollback.isOnOld()) {
      log.flip(false);
    }
    if (stopped.getAsBoolean()) {
      return false;
    }
    log.rollback(ID, done);
    return true;
  }

  /** Whether more than half of what the new side answered in this run are errors. */
  private static boolean mostlyFails(List<Answer> answers) {
    long all = answers.stream().filter(a -> a.arm().side() == Side.NEW).count();
    long good = answers.stream().filter(a -> a.arm().side() == Side.NEW && a.ok()).count();
    return 2 * good < all;
  }
}
