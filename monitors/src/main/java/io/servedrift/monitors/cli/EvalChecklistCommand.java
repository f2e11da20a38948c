package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.Checklist;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(
    name = "checklist",
    description = "Print a YAML form of everything that belongs to a score, and why.")
final class EvalChecklistCommand implements Callable<Integer> {
  private final CommandContext context;

  EvalChecklistCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Checklist.lines().forEach(context.terminal().out()::println);
    return ExitCode.DONE.code();
  }
}
