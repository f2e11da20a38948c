package io.servedrift.monitors.cli;

import io.servedrift.monitors.gate.run.RunEstimate;
import io.servedrift.monitors.gate.run.RunListener;

/** Tells a person at stderr how a gate goes; unless it is to be quiet. Thread-safe. */
final class GateProgress implements RunListener {
  private final CommandContext context;
  private final Progress progress;
  private final long wanted;

  /**
   * Of one run.
   *
   * @param progress the line that moves, which is for one thread at a time
   * @param wanted requests that the policy wants per side and load level
   */
  GateProgress(CommandContext context, Progress progress, long wanted) {
    this.context = context;
    this.progress = progress;
    this.wanted = wanted;
  }

  @Override
  public synchronized void said(String line) {
    progress.close();
    say(context, line);
  }

  /** A line at stderr, before or during a run. */
  static void say(CommandContext context, String line) {
    if (!context.output().quiet()) {
      context.terminal().err().println("servedrift: " + line);
    }
  }

  @Override
  public synchronized void progress(long done, long total) {
    progress.update(done, total);
  }

  @Override
  public synchronized void estimated(RunEstimate estimate) {
    if (!context.output().quiet()) {
      new GatePrinter(context.terminal().err()).print(estimate, wanted);
      context.terminal().err().flush();
    }
  }
}
