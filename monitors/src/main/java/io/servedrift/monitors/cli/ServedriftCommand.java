package io.servedrift.monitors.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root: only names the commands. */
@Command(
    name = "servedrift",
    synopsisSubcommandLabel = "COMMAND",
    description = "Streaming drift monitor for generative-model serving.",
    footerHeading = "%n",
    footer = "Results go to stdout, logs and progress to stderr.")
final class ServedriftCommand implements Runnable {

  @Mixin private final OutputOptions output;

  @Spec private CommandSpec spec;

  ServedriftCommand(OutputOptions output) {
    this.output = output;
  }

  OutputOptions output() {
    return output;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
