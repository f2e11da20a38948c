package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.files.EventFiles;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.HistoryImport;
import io.servedrift.ingest.files.ImportException;
import io.servedrift.ingest.files.ImportResult;
import io.servedrift.ingest.files.ImportSettings;
import io.servedrift.ingest.files.MappingException;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.SettingSource;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description = "Write the events of files or standard input to Kafka as history.",
    footerHeading = "%n",
    footer = {
      "History gets topics of its own that keep everything: without --topic-prefix they start with",
      "'" + ImportCommand.HISTORY_PREFIX + "'. Read them with replay --topic-prefix."
    })
final class ImportCommand extends SettingsCommand {

  /** Live topics would delete old events by their age, so history goes elsewhere by default. */
  static final String HISTORY_PREFIX = "history";

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description = "Files to read, plain or gzip; - is standard input.")
  private List<Path> files;

  @Mixin private FileInput input;

  @Option(
      names = "--force",
      description = "Import into the live topics, or into topics that hold records already.")
  private boolean force;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  ImportCommand(CommandContext context) {
    super(context);
    this.files = List.of();
    this.input = new FileInput();
  }

  @Override
  List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.BOOTSTRAP_SERVERS,
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.TOPIC_PREFIX,
        SettingsCatalogue.PANE,
        SettingsCatalogue.GRACE,
        SettingsCatalogue.SCORE_GRACE,
        SettingsCatalogue.HORIZON,
        SettingsCatalogue.DEAD_LETTERS_RAW);
  }

  @Override
  public Integer call() throws MappingException, FileReadException, ImportException {
    ImportResult result = write(resolveSettings());
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
