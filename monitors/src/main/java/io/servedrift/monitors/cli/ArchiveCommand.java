package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.archive.ArchiveCodec;
import io.servedrift.monitors.archive.ArchiveFolder;
import io.servedrift.monitors.archive.KafkaArchiver;
import io.servedrift.monitors.archive.Manifest;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.ReplayRange;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "archive",
    description = "Copy a range of Kafka to Avro container files, which replay --file reads.",
    footerHeading = "%n",
    footer = {
      "Asked for again, it goes on: finished files with the right checksum stay. Kafka is for weeks,",
      "files are for years: archive a range before its retention ends."
    })
final class ArchiveCommand extends SettingsCommand {

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description =
          "Start of what can be replayed, ISO-8601 with zone; default: the first record. What the"
              + " judge knew then is kept with it.")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description = "End of what can be replayed; default: the last record.")
  private @Nullable Instant to;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Folder to write to: new, empty, or with the same archive begun before.")
  private @Nullable Path out;

  @Option(
      names = "--codec",
      paramLabel = "zstd|deflate",
      defaultValue = "zstd",
      description = "Compression of the files; default: ${DEFAULT-VALUE}.")
  private ArchiveCodec codec = ArchiveCodec.ZSTD;

  @Option(
      names = "--verify",
      paramLabel = "DIR",
      description =
          "Instead of writing: compare the files of this archive with its manifest; exit code 10"
              + " when one is missing or damaged.")
  private @Nullable Path verify;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  ArchiveCommand(CommandContext context) {
    super(context);
  }

  @Override
  List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.BOOTSTRAP_SERVERS,
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.TOPIC_PREFIX,
        SettingsCatalogue.SCHEMA_REGISTRY_URL,
        SettingsCatalogue.PANE,
        SettingsCatalogue.GRACE,
        SettingsCatalogue.SCORE_GRACE,
        SettingsCatalogue.HORIZON,
        SettingsCatalogue.FUTURE_LIMIT,
        SettingsCatalogue.HELD_LIMIT);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (verify != null) {
      if (out != null || from != null || to != null) {
        throw CommandFailure.usage("--verify looks at one archive and writes none");
      }
      return verified(verify).code();
    }
    if (out == null) {
      throw CommandFailure.usage("needs --out DIR, or --verify DIR");
    }
    if (from != null && to != null && !from.isBefore(to)) {
      throw CommandFailure.usage("--from " + from + ": must be before --to " + to);
    }
    Settings settings = resolveSettings();
    requireOver(settings);
    return write(out, settings).code();
  }

  /**
   * What is complete is never looked at again: late scores of the range would be missing for ever.
   */
  private void requireOver(Settings settings) {
    if (to == null) {
      return;
    }
    Instant over = ReplayRange.readUntil(to, PaneOptions.of(settings));
    if (over.isAfter(context().clock().instant())) {
      throw CommandFailure.usage(
          "--to " + to + ": is not over yet, late scores still count; ask again after " + over);
    }
  }

  private ExitCode write(Path folder, Settings settings) throws IOException, InterruptedException {
    Topics topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
    try (StopSignal signal = StopSignal.installForWork();
        BrokerConnection broker = BrokerConnection.open(settings);
        KafkaConsumer<byte[], byte[]> consumer =
            KafkaTraffic.consumer(broker, "servedrift-archive")) {
      KafkaTraffic.requireTopics(consumer, topics, broker);
      Checkpoints state =
          from == null ? Checkpoints.NONE : Checkpoints.newest(consumer, topics, from);
      Manifest.Range range = range(settings, broker, state);
      Manifest manifest;
      try (Progress progress = context().progress("archiving")) {
        manifest =
            new KafkaArchiver(
                    consumer,
                    topics,
                    PaneOptions.reader(settings, context().clock()),
                    settings.get(SettingsCatalogue.HELD_LIMIT),
                    folder,
                    progress::update,
                    signal::isStopped)
                .run(range, state.earliest(), codec);
      }
      print(folder, manifest);
      return exitCode(folder, manifest);
    }
  }

  private Manifest.Range range(Settings settings, BrokerConnection broker, Checkpoints state)
      throws InterruptedException {
    PaneSettings panes = PaneOptions.of(settings);
    Instant start = from == null ? null : ReplayRange.of(from, to).start(state);
    return new Manifest.Range(
        clusterId(broker),
        settings.get(SettingsCatalogue.TOPIC_PREFIX),
        from,
        to,
        start == null ? null : ReplayRange.readFrom(start, panes),
        to == null ? null : ReplayRange.readUntil(to, panes));
  }

  private static String clusterId(BrokerConnection broker) throws InterruptedException {
    try (Admin admin = Admin.create(new HashMap<>(broker.kafka()))) {
      return admin.describeCluster().clusterId().get();
    } catch (ExecutionException e) {
      throw new KafkaException("the cluster cannot be described", e);
    }
  }

  private ExitCode exitCode(Path folder, Manifest manifest) {
    PrintWriter err = context().terminal().err();
    if (!manifest.complete()) {
      err.println("servedrift: interrupted; the same command goes on where this one stopped");
      return ExitCode.INTERRUPTED;
    }
    if (manifest.eventsInRange() == 0) {
      err.println("servedrift: " + folder + ": no request or score in the range");
      return ExitCode.INSUFFICIENT;
    }
    return ExitCode.DONE;
  }

  private void print(Path folder, Manifest manifest) {
    PrintWriter stdout = context().terminal().out();
    if (json) {
      ObjectNode document = JsonOutput.document();
      describe(document, folder, manifest);
      JsonOutput.print(document, stdout);
      return;
    }
    stdout.println(line(folder, manifest));
  }

  private static void describe(ObjectNode document, Path folder, Manifest manifest) {
    document.put("folder", folder.toString());
    document.put("complete", manifest.complete());
    document.put("files", manifest.files().size());
    document.put("records", manifest.records());
    document.put("events_in_range", manifest.eventsInRange());
    document.put("bytes", manifest.bytes());
  }

  private static String line(Path folder, Manifest manifest) {
    return String.format(
        Locale.ROOT,
        "%s: %,d files, %,d records, ticks included, %,d requests and scores in the range, %,d bytes",
        folder,
        manifest.files().size(),
        manifest.records(),
        manifest.eventsInRange(),
        manifest.bytes());
  }

  private ExitCode verified(Path folder) {
    ArchiveFolder archive = ArchiveFolder.open(folder);
    Manifest manifest = archive.manifest();
    List<String> problems;
    try (Progress progress = context().progress("checking")) {
      problems = new ArrayList<>(archive.problems(done -> progress.update(done, manifest.bytes())));
    }
    PrintWriter stdout = context().terminal().out();
    if (json) {
      ObjectNode document = JsonOutput.document();
      describe(document, folder, manifest);
      problems.forEach(document.putArray("problems")::add);
      JsonOutput.print(document, stdout);
    } else {
      stdout.println(line(folder, manifest));
      problems.forEach(stdout::println);
      if (problems.isEmpty()) {
        stdout.println("every file is as the manifest says");
      }
    }
    return problems.isEmpty() ? ExitCode.DONE : ExitCode.CHECK_FAILED;
  }
}
