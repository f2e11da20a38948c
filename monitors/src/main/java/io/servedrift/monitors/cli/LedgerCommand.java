package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LedgerEntry;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command on the eval ledger: a file, the topic of evaluations, or both. */
abstract class LedgerCommand extends SettingsCommand {
  private static final int SHOWN_PROBLEMS = 5;

  @Option(
      names = "--ledger",
      paramLabel = "FILE",
      description =
          "The ledger in a file, one event per line; beside or in place of the topic on Kafka.")
  private @Nullable Path ledger;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  LedgerCommand(CommandContext context) {
    super(context);
  }

  @Override
  final List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.BOOTSTRAP_SERVERS,
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.TOPIC_PREFIX);
  }

  @Override
  public final Integer call() throws IOException, InterruptedException {
    requireUsable();
    try (LedgerAccess access = LedgerAccess.open(ledger, resolveSettings(), context())) {
      return run(access).code();
    }
  }

  /** Checks the options before anything is opened. */
  void requireUsable() {}

  /** Does the work. */
  abstract ExitCode run(LedgerAccess access) throws IOException, InterruptedException;

  final boolean json() {
    return json;
  }

  final PrintWriter out() {
    return context().terminal().out();
  }

  /** Reads the ledger and says on stderr what in it is no record. */
  final Ledger read(LedgerAccess access) throws IOException {
    Ledger read = access.read();
    PrintWriter err = context().terminal().err();
    List<String> problems = read.problems();
    if (!problems.isEmpty()) {
      err.println("servedrift: " + problems.size() + " items of the ledger are no record:");
      problems.stream().limit(SHOWN_PROBLEMS).forEach(problem -> err.println("  " + problem));
    }
    return read;
  }

  /** What of the ledger is no record, for one JSON document. */
  static void putProblems(ObjectNode document, Ledger ledger) {
    ArrayNode problems = document.putArray("problems");
    ledger.problems().forEach(problems::add);
  }

  /** The score of an id, which must be there. */
  static LedgerEntry find(Ledger ledger, String id) {
    return ledger
        .find(id)
        .orElseThrow(() -> CommandFailure.usage(id + ": no score of this id in the ledger"));
  }
}
