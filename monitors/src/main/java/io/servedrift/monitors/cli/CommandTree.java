package io.servedrift.monitors.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Every command of the product, put together and given the rules they share. */
final class CommandTree {

  private CommandTree() {}

  static CommandLine of(CommandContext context) {
    CommandLine root = new CommandLine(new ServedriftCommand(context.output()));
    root.addSubcommand(new DemoCommand(context));
    root.addSubcommand(new RunCommand(context));
    root.addSubcommand(new GatewayCommand(context));
    root.addSubcommand(new ImportCommand(context));
    root.addSubcommand(new ReplayCommand(context));
    root.addSubcommand(new ExplainCommand(context));
    root.addSubcommand(new AcceptCommand(context));
    root.addSubcommand(
        new CommandLine(new BaselineCommand())
            .addSubcommand(new BaselineCommand.Listing(context))
            .addSubcommand(new BaselineCommand.Pin(context))
            .addSubcommand(new BaselineCommand.Promote(context)));
    root.addSubcommand(
        new CommandLine(new EvalCommand())
            .addSubcommand(new EvalRecordCommand(context))
            .addSubcommand(new EvalListCommand(context))
            .addSubcommand(new EvalShowCommand(context))
            .addSubcommand(new EvalCheckCommand(context))
            .addSubcommand(new EvalCompareCommand(context))
            .addSubcommand(new EvalRerunCommand(context))
            .addSubcommand(new EvalChecklistCommand(context)));
    root.addSubcommand(
        new CommandLine(new ConfigCommand())
            .addSubcommand(new ConfigCommand.Show(context))
            .addSubcommand(new ConfigCommand.Diff(context))
            .addSubcommand(new ConfigCommand.FingerprintOf(context)));
    root.addSubcommand(new GateCommand(context));
    root.addSubcommand(new TopicsCommand(context));
    root.addSubcommand(new ArchiveCommand(context));
    root.addSubcommand(new BenchCommand(context));
    root.addSubcommand(new VersionCommand(context));
    addSettingOptions(root);
    applySharedRules(root, context);
    return root;
  }

  private static void addSettingOptions(CommandLine command) {
    if (command.getCommand() instanceof SettingsCommand withSettings) {
      SettingOptions.addTo(
          command.getCommandSpec(), withSettings.settings(), withSettings.defaults());
    }
    command.getSubcommands().values().forEach(CommandTree::addSettingOptions);
  }

  private static void applySharedRules(CommandLine root, CommandContext context) {
    root.setOut(context.terminal().out());
    root.setErr(context.terminal().err());
    root.setColorScheme(
        CommandLine.Help.defaultColorScheme(context.terminal().color() ? Ansi.ON : Ansi.OFF));
    root.setCaseInsensitiveEnumValuesAllowed(true);
    // An argument @file is the command's own: what stands in the file may be a secret.
    root.setExpandAtFiles(false);
    root.setUsageHelpWidth(100);
    root.setExecutionStrategy(
        parsed -> {
          applyVerbosity(context.output());
          return new CommandLine.RunLast().execute(parsed);
        });
    root.setExecutionExceptionHandler(executionErrors(context));
    root.setParameterExceptionHandler(usageErrors(context));
    addToAll(root, exitCodes());
  }

  private static void addToAll(CommandLine command, Map<String, String> exitCodes) {
    CommandSpec spec = command.getCommandSpec();
    spec.mixinStandardHelpOptions(true);
    spec.version("servedrift " + BuildInfo.version());
    spec.exitCodeOnInvalidInput(ExitCode.USAGE.code());
    spec.exitCodeOnExecutionException(ExitCode.INTERNAL_ERROR.code());
    spec.usageMessage().exitCodeListHeading("%nExit codes:%n").exitCodeList(exitCodes);
    command.getSubcommands().values().forEach(each -> addToAll(each, exitCodes));
  }

  private static Map<String, String> exitCodes() {
    return Arrays.stream(ExitCode.values())
        .collect(
            Collectors.toMap(
                code -> String.valueOf(code.code()),
                ExitCode::meaning,
                (left, right) -> left,
                LinkedHashMap::new));
  }

  private static void applyVerbosity(OutputOptions output) {
    if (output.verbose()) {
      Logging.level("debug");
    } else if (output.quiet()) {
      Logging.level("error");
    }
  }

  private static IExecutionExceptionHandler executionErrors(CommandContext context) {
    return (thrown, command, parsed) -> {
      if (thrown instanceof CommandLine.ParameterException usage) {
        return command.getParameterExceptionHandler().handleParseException(usage, new String[0]);
      }
      Diagnosis diagnosis = Diagnosis.of(thrown);
      diagnosis
          .message()
          .lines()
          .forEach(line -> context.terminal().err().println("servedrift: " + line));
      if (context.output().verbose()) {
        thrown.printStackTrace(context.terminal().err());
      }
      return diagnosis.exitCode().code();
    };
  }

  private static IParameterExceptionHandler usageErrors(CommandContext context) {
    return (thrown, arguments) -> {
      var err = context.terminal().err();
      err.println("servedrift: " + thrown.getMessage());
      UnmatchedArgumentException.printSuggestions(thrown, err);
      String name = thrown.getCommandLine().getCommandSpec().qualifiedName();
      err.println("'" + name + " --help' shows what is possible.");
      return ExitCode.USAGE.code();
    };
  }
}
