package io.servedrift.serving.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root: only names the commands. */
@Command(
    name = "servedrift",
    synopsisSubcommandLabel = "COMMAND",
    description = "The serving node of servedrift.",
    footerHeading = "%n",
    footer = "Results go to stdout, logs to stderr.")
final class ServingCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
