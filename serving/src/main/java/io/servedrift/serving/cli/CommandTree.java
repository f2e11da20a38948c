package io.servedrift.serving.cli;

import io.servedrift.serving.engine.EngineSettings;
import io.servedrift.serving.engine.InvalidPipelineException;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.node.ServingNode;
import io.servedrift.serving.node.TorchEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The commands with the rules they share. */
final class CommandTree {

  static final int INTERNAL_ERROR = 1;
  static final int USAGE = 2;

  private CommandTree() {}

  static CommandLine of(Map<String, String> environment, PrintWriter out, PrintWriter err) {
    CommandLine root = new CommandLine(new ServingCommand());
    add(root, new ServeCommand(environment, CommandTree::torch));
    add(root, new ScorerCommand(environment));
    root.setOut(out);
    root.setErr(err);
    root.setUsageHelpWidth(100);
    root.setExecutionExceptionHandler(executionErrors());
    root.setParameterExceptionHandler(usageErrors());
    addToAll(root);
    return root;
  }

  private static void add(CommandLine root, ServerCommand command) {
    CommandLine added = new CommandLine(command);
    command.addSettings(added.getCommandSpec());
    root.addSubcommand(added);
  }

  private static ServingNode.Engine torch(EngineSettings settings, Faults faults)
      throws IOException {
    try {
      return TorchEngine.load(settings, faults).parts();
    } catch (InvalidPipelineException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static void addToAll(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    spec.mixinStandardHelpOptions(true);
    spec.version("servedrift " + BuildInfo.version());
    spec.exitCodeOnInvalidInput(USAGE);
    spec.exitCodeOnExecutionException(INTERNAL_ERROR);
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("1", "internal error");
    codes.put("2", "the command line, a setting or a model directory is wrong");
    codes.put("130, 143", "ended in order by SIGINT, by SIGTERM");
    spec.usageMessage().exitCodeListHeading("%nExit codes:%n").exitCodeList(codes);
    command.getSubcommands().values().forEach(CommandTree::addToAll);
  }

  private static IExecutionExceptionHandler executionErrors() {
    return (thrown, command, parsed) -> {
      PrintWriter err = command.getErr();
      if (thrown instanceof SettingsException settings) {
        settings.problems().forEach(problem -> err.println("servedrift: " + problem));
        return USAGE;
      }
      if (thrown instanceof StartException failed) {
        err.println("servedrift: " + failed.getMessage());
        return USAGE;
      }
      err.println("servedrift: internal error: " + thrown);
      return INTERNAL_ERROR;
    };
  }

  private static IParameterExceptionHandler usageErrors() {
    return (thrown, arguments) -> {
      PrintWriter err = thrown.getCommandLine().getErr();
      err.println("servedrift: " + thrown.getMessage());
      UnmatchedArgumentException.printSuggestions(thrown, err);
      String name = thrown.getCommandLine().getCommandSpec().qualifiedName();
      err.println("'" + name + " --help' shows what is possible.");
      return USAGE;
    };
  }
}
