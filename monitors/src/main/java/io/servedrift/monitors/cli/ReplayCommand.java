package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.files.DeadLetterFile;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.MappingException;
import io.servedrift.ingest.files.ReadSummary;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.KafkaReplay;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.report.OutputLinks;
import io.servedrift.monitors.report.RunRecorder;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
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
      description = "Files to replay, plain or gzip; - is standard input. Without it: Kafka.")
  private final List<Path> files = new ArrayList<>();

  @Mixin private FileInput input = new FileInput();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description = "Start of the range on Kafka, ISO-8601 with zone; default: the first record.")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description = "End of the range on Kafka; default: the last record.")
  private @Nullable Instant to;

  // The setting "windows" gives the lengths; here the name belongs to the output.
  @Option(
      names = "--windows",
      paramLabel = "FILE",
      description =
          "Write each window, and at the end the whole range, as one JSON object per line; - is"
              + " standard output.")
  private @Nullable Path windowsFile;

  @Option(
      names = "--deployment",
      paramLabel = "NAME",
      description = "Show only series of this deployment.")
  private @Nullable String deployment;

  @Option(
      names = "--config-id",
      paramLabel = "ID",
      description = "Show only series of this configuration; * is all of them together.")
  private @Nullable String configId;

  @Option(names = "--model-id", paramLabel = "ID", description = "Show only series of this model.")
  private @Nullable String modelId;

  @Option(
      names = "--state",
      paramLabel = "live|cold",
      description =
          "What the judge knows at --from: live is the last hourly checkpoint of the monitor before"
              + " it (default), cold is nothing.")
  private State state = State.LIVE;

  @Option(
      names = "--compare",
      paramLabel = "FINDINGS",
      description =
          "Compare with the findings of this file, one JSON object per line as --json prints them;"
              + " exit code 10 when they differ.")
  private @Nullable Path compare;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Write report.html, one page that needs no network, and report.json to this folder.")
  private @Nullable Path reportFolder;

  @Option(
      names = "--output-url",
      paramLabel = "PATTERN",
      description =
          "Where the report finds outputs to look at, for example"
              + " https://store.example/outputs/{request_id}.png")
  private @Nullable String outputUrl;

  @Option(
      names = "--json",
      description =
          "One JSON object per line: each finding as it opens, changes and closes, then a summary.")
  private boolean json;

  private @Nullable ReplayReport report;

  /** Where the judge's knowledge comes from. */
  private enum State {
    LIVE,
    COLD
  }

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
    if (!files.isEmpty() && (from != null || to != null)) {
      throw CommandFailure.usage("--from and --to choose a range of Kafka, not of --file");
    }
    if (outputUrl != null && reportFolder == null) {
      throw CommandFailure.usage("--output-url belongs to --report");
    }
    OutputLinks links = ReplayReport.links(outputUrl);
    Map<String, JsonNode> earlier = compare == null ? Map.of() : FindingComparison.read(compare);
    Settings settings = resolveSettings();
    Policy policy = PolicyFile.of(settings);
    try (Parts parts = new Parts()) {
      DeadLetterFile letters =
          input.deadLetters() == null
              ? null
              : parts.add("dead letters", new DeadLetterFile(input.deadLetters()));
      PrintWriter windows = windows(parts, toStdout);
      ReplayOutput output =
          new ReplayOutput(
              settings.get(SettingsCatalogue.WINDOWS).get(0),
              this::wanted,
              this::wanted,
              json ? context().terminal().out() : null,
              windows,
              letters,
              context().clock().instant(),
              settings.get(SettingsCatalogue.DEAD_LETTERS_RAW));
      report = reportFolder == null ? null : report(reportFolder, links, settings);
      ReplayCore.Listener listener =
          report == null ? output : report.beside(output, this::wanted, this::wanted);
      StopSignal stop = StopSignal.install();
      Source source;
      try {
        source =
            files.isEmpty()
                ? fromKafka(settings, listener, stop)
                : fromFiles(settings, listener, letters, stop);
      } finally {
        stop.restore();
      }
      FindingComparison compared =
          compare == null || source.partial()
              ? null
              : FindingComparison.of(earlier, output.findings());
      print(source, output, policy, compared, toStdout);
      if (report != null) {
        write(report, source, output, settings, policy);
      }
      if (source.partial()) {
        throw new CommandFailure(
            ExitCode.INTERRUPTED, "interrupted: what was printed is partial", null);
      }
      return (compared == null || compared.isEqual() ? ExitCode.DONE : ExitCode.CHECK_FAILED)
          .code();
    }
  }

  /**
   * What was read.
   *
   * @param records events of files, or records of Kafka with ticks
   * @param read what became of the rows of files, null for Kafka
   * @param counters what became of the records
   * @param names what the ids of configurations and models mean
   * @param partial whether a signal came before the end
   */
  private record Source(
      long records,
      @Nullable ReadSummary read,
      Tally counters,
      ConfigNames names,
      boolean partial) {}

  private ReplayReport report(Path folder, OutputLinks links, Settings settings) {
    return new ReplayReport(
        folder,
        links,
        new RunRecorder(
            PaneOptions.layouts(settings), name -> deployment == null || deployment.equals(name)));
  }

  private void write(
      ReplayReport made, Source source, ReplayOutput output, Settings settings, Policy policy)
      throws IOException {
    Path page =
        made.write(
            context().clock().instant(),
            source.partial(),
            spec().root().commandLine().getParseResult().originalArgs(),
            settings,
            policy,
            summary(source, output, policy, List.of()),
            source.names());
    context().terminal().err().println("report: " + page);
  }

  /** The judges of the settings; with a report, it looks at what they are given. */
  private StepTaker.Maker judges(Settings settings, ConfigNames names) {
    StepTaker.Maker judges = JudgeOptions.of(settings, names.axes());
    return report == null ? judges : report.recorder().watching(judges);
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

  private boolean wanted(WindowSummary window) {
    return (deployment == null || deployment.equals(window.getDeployment()))
        && (configId == null || configId.equals(window.getConfigId()))
        && (modelId == null || modelId.equals(window.getModelId()));
  }

  private boolean wanted(Finding finding) {
    return (deployment == null || deployment.equals(finding.getDeployment()))
        && (configId == null || configId.equals(finding.getConfigId()))
        && (modelId == null || modelId.equals(finding.getModelId()));
  }

  private Source fromFiles(
      Settings settings,
      ReplayCore.Listener output,
      @Nullable DeadLetterFile letters,
      StopSignal stop)
      throws IOException, MappingException, FileReadException {
    Tally tally = new Tally();
    Consumer<DeadLetter> rejected = letters == null ? letter -> {} : letters;
    try (Progress reading = context().progress("reading");
        Progress replaying = context().progress("replaying");
        SortedEvents events =
            input
                .reader(files, context().terminal(), context().clock())
                .keepRaw(settings.get(SettingsCatalogue.DEAD_LETTERS_RAW))
                .progress(
                    (file, rows, bytes) -> {
                      reading.update(rows, 0);
                      stop.check();
                    })
                .build()
                .read(rejected)) {
      ReadSummary summary = events.summary();
      ConfigNames names = ConfigNames.of(events);
      FileReplay replay =
          new FileReplay(
              PaneOptions.of(settings),
              PaneOptions.layouts(settings),
              judges(settings, names),
              output,
              tally);
      AtomicLong fed = new AtomicLong();
      boolean whole =
          stop.completes(
              () ->
                  replay.run(
                      events,
                      done -> {
                        fed.set(done);
                        replaying.update(done, summary.accepted());
                        stop.check();
                      }));
      return new Source(fed.get(), summary, tally, names, !whole);
    }
  }

  private Source fromKafka(Settings settings, ReplayCore.Listener output, StopSignal stop) {
    if (from != null && to != null && !from.isBefore(to)) {
      throw CommandFailure.usage("--from " + from + ": must be before --to " + to);
    }
    Topics topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
    Tally tally = new Tally();
    try (Progress progress = context().progress("replaying");
        BrokerConnection broker = BrokerConnection.open(settings);
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                consumerSettings(broker),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      if (consumer.partitionsFor(topics.requests()).isEmpty()) {
        throw CommandFailure.usage(
            "no topic "
                + topics.requests()
                + " at "
                + broker.bootstrapServers()
                + "; --topic-prefix chooses others (import writes to "
                + ImportCommand.HISTORY_PREFIX
                + ")");
      }
      EventReader reader = PaneOptions.reader(settings, context().clock());
      ConfigNames names = ConfigNames.of(consumer, topics.configs(), reader);
      Checkpoints known =
          from == null || state == State.COLD
              ? Checkpoints.NONE
              : Checkpoints.newest(consumer, topics, from);
      KafkaReplay replay =
          new KafkaReplay(
              consumer,
              topics,
              PaneOptions.of(settings),
              PaneOptions.layouts(settings),
              judges(settings, names),
              reader,
              tally);
      AtomicLong records = new AtomicLong();
      boolean whole =
          stop.completes(
              () ->
                  replay.run(
                      from,
                      to,
                      known,
                      output,
                      done -> {
                        records.set(done);
                        progress.update(done, 0);
                        stop.check();
                      }));
      return new Source(records.get(), null, tally, names, !whole);
    }
  }

  private static Map<String, Object> consumerSettings(BrokerConnection broker) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("client.id", "servedrift-replay");
    settings.put("default.api.timeout.ms", 15_000);
    settings.put("fetch.min.bytes", 262_144);
    settings.put("max.partition.fetch.bytes", 4_194_304);
    settings.put("max.poll.records", 5_000);
    settings.putAll(broker.kafka());
    // These decide what a replay sees and whether it leaves traces: not for the user to change.
    settings.put("isolation.level", "read_committed");
    settings.put("enable.auto.commit", false);
    settings.put("allow.auto.create.topics", false);
    return settings;
  }

  /** What was read and what came out, as JSON. */
  private static ObjectNode summary(
      Source source, ReplayOutput output, Policy policy, List<WindowSummary> ranges) {
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
      Source source,
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
      out.println("PARTIAL: interrupted after " + source.records() + " records");
    }
    if (source.read() == null) {
      out.println(source.records() + " records read, ticks included");
    } else {
      ReadReport.lines(source.read()).forEach(out::println);
    }
    output.lines().forEach(out::println);
    FindingTable.lines(output.findings().values()).forEach(out::println);
    if (compared != null) {
      compared.lines().forEach(out::println);
    }
    if (!toStdout) {
      RangeTable.lines(ranges, source.names()).forEach(out::println);
    }
  }
}
