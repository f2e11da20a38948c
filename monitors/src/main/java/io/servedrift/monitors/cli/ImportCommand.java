package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.consume.TopicFollower;
import io.servedrift.ingest.files.EventFiles;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.HistoryImport;
import io.servedrift.ingest.files.ImportException;
import io.servedrift.ingest.files.ImportResult;
import io.servedrift.ingest.files.ImportSettings;
import io.servedrift.ingest.files.MappingException;
import io.servedrift.ingest.follow.FollowSettings;
import io.servedrift.ingest.follow.Follower;
import io.servedrift.ingest.follow.Following;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.monitors.cli.settings.ImportCatalogue;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.SettingSource;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description =
        "Write the events of files, standard input or a topic to Kafka, as history or as they"
            + " come.",
    footerHeading = "%n",
    footer = {
      "History gets topics of its own that keep everything: without --topic-prefix they start with",
      "'" + ImportCommand.HISTORY_PREFIX + "'. Read them with replay --topic-prefix.",
      "With --follow the events go to the live topics, and files are read on as they grow, until a",
      "signal; --places remembers how far. --from-topic follows a topic that others fill, such as",
      "KServe's CloudEvents (--format kserve); its consumer group remembers how far."
    })
final class ImportCommand extends SettingsCommand {

  /** Live topics would delete old events by their age, so history goes elsewhere by default. */
  static final String HISTORY_PREFIX = "history";

  private static final String PLACES = ".servedrift/places.json";
  private static final int MOST_LINE_BYTES = 16 << 20;
  private static final String FROM_TOPIC = "--from-topic";

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description = "Files to read, plain or gzip; - is standard input.")
  private List<Path> files;

  @Mixin private FileInput input;

  @Option(
      names = "--force",
      description = "Import into the live topics, or into topics that hold records already.")
  private boolean force;

  @Option(
      names = "--follow",
      description =
          "Go on as the files grow, over rotation and restarts, and write to the live topics; a"
              + " folder stands for the logs in it.")
  private boolean follow;

  @Mixin private TopicOptions topic;

  @Option(
      names = "--places",
      paramLabel = "FILE",
      description = "State file of --follow; default: " + PLACES + ".")
  private @Nullable Path places;

  @Option(
      names = "--from-end",
      description =
          "With --follow or --from-topic: pass over what is there already where no place is"
              + " remembered.")
  private boolean fromEnd;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  ImportCommand(CommandContext context) {
    super(context);
    this.files = List.of();
    this.input = new FileInput();
    this.topic = new TopicOptions();
  }

  @Override
  List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.BOOTSTRAP_SERVERS,
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.TOPIC_PREFIX,
        ImportCatalogue.SOURCE_BOOTSTRAP_SERVERS,
        ImportCatalogue.SOURCE_GROUP,
        SettingsCatalogue.PANE,
        SettingsCatalogue.GRACE,
        SettingsCatalogue.SCORE_GRACE,
        SettingsCatalogue.HORIZON,
        SettingsCatalogue.DEAD_LETTERS_RAW);
  }

  @Override
  public Integer call() throws MappingException, FileReadException, ImportException, IOException {
    String source = topic.topic();
    if (source != null) {
      return fromTopic(source, resolveSettings()).code();
    }
    if (files.isEmpty()) {
      throw CommandFailure.usage(
          "nothing to read: needs FILE (- is standard input) or --from-topic");
    }
    Settings settings = resolveSettings();
    topic.requireTopic(settings);
    if (follow) {
      return follow(settings).code();
    }
    if (fromEnd || places != null) {
      throw CommandFailure.usage((fromEnd ? "--from-end" : "--places") + " belongs to --follow");
    }
    ImportResult result = write(settings);
    print(result);
    if (result.read().accepted() == 0) {
      context()
          .terminal()
          .err()
          .println("servedrift: nothing was imported: " + ReadReport.whyNothing(result.read()));
      return ExitCode.INSUFFICIENT.code();
    }
    return ExitCode.DONE.code();
  }

  private ExitCode follow(Settings settings) throws IOException {
    if (files.stream().anyMatch(Terminal::isStdin)) {
      throw CommandFailure.usage(
          "--follow needs files: standard input (-) has no place to go on at");
    }
    refuseOptionsOfHistory("--follow");
    FollowSettings followed =
        new FollowSettings(
            files, places == null ? Path.of(PLACES) : places, fromEnd, MOST_LINE_BYTES);
    Adapter adapter = input.following("--follow", context());
    return run(
        settings,
        adapter == null,
        files.toString(),
        "lines",
        (broker, sink) -> new Follower(followed, adapter, sink, context().clock()));
  }

  private ExitCode fromTopic(String name, Settings settings) throws IOException {
    if (follow) {
      throw CommandFailure.usage("--follow belongs to files; --from-topic follows by itself");
    }
    if (!files.isEmpty() || places != null) {
      throw CommandFailure.usage(
          "--from-topic "
              + name
              + (places == null
                  ? ": takes no files beside it"
                  : ": --places belongs to files; the consumer group remembers how far a topic was"
                      + " read"));
    }
    refuseOptionsOfHistory(FROM_TOPIC);
    input.requireOrderFree(FROM_TOPIC);
    Adapter adapter = input.following(FROM_TOPIC, context());
    TopicOptions.Reading reading =
        new TopicOptions.Reading(fromEnd, input.isCloudEvents(), MOST_LINE_BYTES);
    return run(
        settings,
        adapter == null,
        "topic " + name,
        "records",
        (broker, sink) ->
            TopicFollower.open(
                TopicOptions.source(name, settings, broker.kafka(), reading),
                adapter,
                sink,
                context().clock()));
  }

  private void refuseOptionsOfHistory(String option) {
    if (force || input.deadLetters() != null || input.isNotAfterGiven()) {
      throw CommandFailure.usage(
          "--force, --dead-letters and --not-after belong to history; with "
              + option
              + " dead letters go to their topic");
    }
  }

  private interface Source {
    Following open(BrokerConnection broker, EventSink sink)
        throws IOException, UnfitSourceException;
  }

  private ExitCode run(Settings settings, boolean contract, String what, String unit, Source source)
      throws IOException {
    try (BrokerConnection broker = BrokerConnection.open(settings)) {
      return new FollowedImport(context(), what, unit, sink -> source.open(broker, sink))
          .run(broker, new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX)), contract, json);
    }
  }

  @Override
  Map<String, String> sourceKafka() {
    return topic.kafka();
  }

  private ImportResult write(Settings settings)
      throws MappingException, FileReadException, ImportException {
    try (Progress reading = context().progress("reading");
        Progress writing = context().progress("writing")) {
      EventFiles events =
          input
              .reader(files, context())
              .keepRaw(settings.get(SettingsCatalogue.DEAD_LETTERS_RAW))
              .progress((file, rows, bytes) -> reading.update(rows, 0))
              .build();
      try (BrokerConnection broker = BrokerConnection.open(settings)) {
        return new HistoryImport(importSettings(settings, broker), context().clock())
            .run(events, input.deadLetters(), (records, bytes) -> writing.update(records, 0));
      }
    }
  }

  private ImportSettings importSettings(Settings settings, BrokerConnection broker) {
    boolean named = settings.sourceOf(SettingsCatalogue.TOPIC_PREFIX) != SettingSource.DEFAULT;
    return new ImportSettings(
        broker.kafka(),
        named ? settings.get(SettingsCatalogue.TOPIC_PREFIX) : HISTORY_PREFIX,
        settings.get(SettingsCatalogue.PANE),
        settings.get(SettingsCatalogue.GRACE),
        settings.get(SettingsCatalogue.SCORE_GRACE),
        settings.get(SettingsCatalogue.HORIZON),
        force);
  }

  private void print(ImportResult result) {
    PrintWriter out = context().terminal().out();
    if (json) {
      ObjectNode document = JsonOutput.document();
      document.put("topic_prefix", result.prefix());
      document.set("read", ReadReport.node(result.read()));
      document.put("written", result.written());
      ReadReport.counts(document.putObject("written_by_type"), result.writtenByType());
      document.put("registrations", result.registrations());
      document.put("ticks", result.ticks());
      document.put("dead_letters", result.deadLetters());
      JsonOutput.print(document, out);
      return;
    }
    ReadReport.lines(result.read()).forEach(out::println);
    out.printf(
        "%,d events, %,d registrations, %,d ticks and %,d dead letters written; topics %s-*%n",
        result.written(),
        result.registrations(),
        result.ticks(),
        result.deadLetters(),
        result.prefix());
  }
}
