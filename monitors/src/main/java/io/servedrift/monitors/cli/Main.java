package io.servedrift.monitors.cli;

import java.time.Clock;
import java.util.Map;

/** Entry point of the product. */
public final class Main {

  private Main() {}

  /** Runs one command and exits with its {@link ExitCode}. */
  public static void main(String[] arguments) {
    Map<String, String> environment = System.getenv();
    CommandContext context =
        new CommandContext(
            Terminal.system(environment), environment, Clock.systemUTC(), new OutputOptions());
    System.exit(run(context, arguments));
  }

  /** Runs one command and returns the number to exit with. */
  static int run(CommandContext context, String... arguments) {
    int code = CommandTree.of(context).execute(arguments);
    context.terminal().out().flush();
    context.terminal().stdout().flush();
    context.terminal().err().flush();
    return code;
  }
}
