package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.files.DeadLetterFile;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.MappingException;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "replay",
    description =
        "Compute findings and windows of past traffic, from files or from a range of Kafka.")
final class ReplayCommand extends SettingsCommand {

  @Option(
      names = "--file",
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "Files to replay, plain or gzip; - is standard input; or folders that archive wrote."
              + " Without it: Kafka.")
  private final List<Path> files = new ArrayList<>();

  @Mixin private FileInput input = new FileInput();

  @Mixin private ReplayOptions options = new ReplayOptions();

  @Mixin private ReportOptions reportOptions = new ReportOptions();

  // The setting "windows" gives the lengths; here the name belongs to the output.
  @Option(
      names = "--windows",
      paramLabel = "FILE",
      description =
          "Write each window, and at the end the whole range, as one JSON object per line; - is"
              + " standard output.")
  private @Nullable Path windowsFile;

  @Option(
      names = "--compare",
      paramLabel = "FINDINGS",
      description =
          "Compare with the findings of this file, one JSON object per line as --json prints them;"
              + " exit code 10 when they differ.")
  private @Nullable Path compare;

  @Option(
      names = "--json",
      description =
          "One JSON object per line: each finding as it opens, changes and closes, then a summary.")
  private boolean json;

  ReplayCommand(CommandContext context) {
    super(context);
  }

  @Override
  List<Setting<?>> settings() {
    List<Setting<?>> settings = new ArrayList<>();
    settings.add(SettingsCatalogue.BOOTSTRAP_SERVERS);
    settings.add(SettingsCatalogue.EMBEDDED);
    settings.add(SettingsCatalogue.TOPIC_PREFIX);
    settings.add(SettingsCatalogue.SCHEMA_REGISTRY_URL);
    settings.addAll(PaneOptions.settings());
    settings.remove(SettingsCatalogue.WINDOWS);
    settings.add(SettingsCatalogue.POLICY);
    settings.add(SettingsCatalogue.DEAD_LETTERS_RAW);
    return settings;
  }

  @Override
  public Integer call() throws IOException, MappingException, FileReadException {
    boolean toStdout = windowsFile != null && Terminal.isStdin(windowsFile);
    if (toStdout && json) {
      throw CommandFailure.usage("--windows - and --json both want standard output");
    }
    options.check();
    reportOptions.check();
    FindingMemory earlier = compare == null ? new FindingMemory() : FindingFile.read(compare);
    Settings settings = resolveSettings();
    Policy policy = options.with(PolicyFile.of(settings));
    try (Parts parts = new Parts()) {
      DeadLetterFile letters =
          input.deadLetters() == null
              ? null
              : parts.add("dead letters", new DeadLetterFile(input.deadLetters()));
      PrintWriter windows = windows(parts, toStdout);
      StateFile states = options.saveState() == null ? null : new StateFile();
      ReplayOutput output =
          new ReplayOutput(
                  settings.get(SettingsCatalogue.WINDOWS).get(0),
                  options::shows,
                  options::shows,
                  json ? context().terminal().out() : null,
                  windows,
                  letters,
                  context().clock().instant(),
                  settings.get(SettingsCatalogue.DEAD_LETTERS_RAW))
              .saving(states);
      ReplayReport report = reportOptions.report(settings, options::shows);
      ReplayInput replay = new ReplayInput(context(), settings, policy, options, output, report);
      ReplayedTraffic traffic = traffic(replay, letters);
      FindingComparison compared =
          compare == null ? null : FindingComparison.of(earlier, output.findings());
      print(traffic, output, policy, compared, toStdout);
      if (report != null) {
        write(report, traffic, output, settings, policy);
      }
      remember(output);
      ExitCode code = exitCode(traffic, output, compared);
      return save(states, code).code();
    }
  }

  /**
   * Only of a whole run: the state of a part would be taken for that of the range. That findings
   * differ from others makes it no less whole.
   */
  private ExitCode save(@Nullable StateFile states, ExitCode code) throws IOException {
    Path file = options.saveState();
    boolean whole = code == ExitCode.DONE || code == ExitCode.CHECK_FAILED;
    if (states == null || file == null || !whole) {
      return code;
    }
    if (states.isEmpty()) {
      context()
          .terminal()
          .err()
          .println("servedrift: --save-state " + file + ": no full hour was passed; not written");
      return code == ExitCode.DONE ? ExitCode.INSUFFICIENT : code;
    }
    states.write(file);
    return code;
  }

  private void write(
      ReplayReport report,
      ReplayedTraffic traffic,
      ReplayOutput output,
      Settings settings,
      Policy policy)
      throws IOException {
    Path page =
        report.write(
            context().clock().instant(),
            traffic.partial(),
            arguments(),
            settings,
            policy,
            summary(traffic, output, policy, List.of()),
            traffic.names());
    context().terminal().err().println("report: " + page);
  }

  private List<String> arguments() {
    return spec().root().commandLine().getParseResult().originalArgs();
  }

  /** So that explain finds what was just shown. */
  private void remember(ReplayOutput output) {
    new LastReplay(
            ReplayReport.command(arguments()),
            context().clock().instant(),
            reportOptions.folder(),
            output.findings().shown(),
            output.findings().notShown())
        .keep(context().environment());
  }

  private ReplayedTraffic traffic(ReplayInput replay, @Nullable DeadLetterFile letters)
      throws IOException, MappingException, FileReadException {
    if (files.isEmpty()) {
      return new KafkaTraffic(replay).run();
    }
    if (ArchiveTraffic.isMeant(files)) {
      return new ArchiveTraffic(replay).run(files);
    }
    return new FileTraffic(replay).run(input, files, letters);
  }

  /** What came of nothing, or of a part, must not look like all is well. */
  private ExitCode exitCode(
      ReplayedTraffic traffic, ReplayOutput output, @Nullable FindingComparison compared) {
    PrintWriter err = context().terminal().err();
    if (traffic.partial()) {
      err.println("servedrift: interrupted; what is shown is partial");
      return ExitCode.INTERRUPTED;
    }
    if (traffic.read() != null && traffic.read().accepted() == 0) {
      err.println("servedrift: nothing to replay: " + ReadReport.whyNothing(traffic.read()));
      return ExitCode.INSUFFICIENT;
    }
    if (options.asksForState() && traffic.counters().get("checkpoints_dropped") > 0) {
      err.println(
          "servedrift: --state is of another version; what needed it was judged from nothing");
      return ExitCode.INSUFFICIENT;
    }
    if (traffic.judged() == 0) {
      err.println(
          "servedrift: no request or score to judge "
              + options.rangeText()
              + " in "
              + traffic.from()
              + " ("
              + traffic.records()
              + " records read)");
      return ExitCode.INSUFFICIENT;
    }
    if (options.filtered() && output.isEmpty()) {
      err.println("servedrift: no window and no finding of the series asked for");
      return ExitCode.INSUFFICIENT;
    }
    if (output.isEmpty()) {
      err.println(
          "servedrift: no window lies wholly in what was read; shorter ones are asked for with"
              + " SERVEDRIFT_WINDOWS=1m,1h");
    }
    return compared == null || compared.isEqual() ? ExitCode.DONE : ExitCode.CHECK_FAILED;
  }

  private @Nullable PrintWriter windows(Parts parts, boolean toStdout) throws IOException {
    if (windowsFile == null) {
      return null;
    }
    return toStdout
        ? context().terminal().out()
        : parts.add(
            "windows",
            new PrintWriter(Files.newBufferedWriter(windowsFile, StandardCharsets.UTF_8)));
  }

  /** What was read and what came out, as JSON. */
  private static ObjectNode summary(
      ReplayedTraffic source, ReplayOutput output, Policy policy, List<WindowSummary> ranges) {
    ObjectNode document = JsonOutput.document();
    document.put("records", source.records());
    document.put("partial", source.partial());
    document.put("policy_hash", policy.hash());
    if (source.read() != null) {
      document.set("read", ReadReport.node(source.read()));
    }
    ReadReport.counts(document.putObject("counters"), source.counters().snapshot());
    output.describe(document, ranges);
    return document;
  }

  private void print(
      ReplayedTraffic source,
      ReplayOutput output,
      Policy policy,
      @Nullable FindingComparison compared,
      boolean toStdout) {
    List<WindowSummary> ranges = output.finish();
    PrintWriter out = toStdout ? context().terminal().err() : context().terminal().out();
    if (json) {
      ObjectNode document = summary(source, output, policy, ranges);
      if (compared != null) {
        compared.describe(document.putObject("compared"));
      }
      JsonOutput.printLine(document, out);
      return;
    }
    if (toStdout && context().output().quiet()) {
      return;
    }
    if (source.partial()) {
      out.println("partial: interrupted before the end");
    }
    if (source.read() == null) {
      out.println(source.records() + " records read, ticks included");
    } else {
      ReadReport.lines(source.read()).forEach(out::println);
    }
    output.lines().forEach(out::println);
    FindingTable.lines(output.findings().shown()).forEach(out::println);
    if (output.findings().notShown() > 0) {
      out.println(output.findings().notShown() + " more findings; --json gives all of them");
    }
    if (compared != null) {
      compared.lines().forEach(out::println);
    }
    if (!toStdout) {
      RangeTable.lines(ranges, source.names()).forEach(out::println);
    }
  }
}
