package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.Measurement;
import io.servedrift.monitors.ledger.Provenance;
import io.servedrift.monitors.ledger.SafeCommand;
import io.servedrift.monitors.ledger.io.ScoreSource;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.avro.EvalResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "rerun",
    description = {
      "Run the stored command of a score against the configuration that serves now.",
      "The new record supersedes the old one. Nothing is run without --yes: the command comes from"
          + " the ledger, so read it first."
    })
final class EvalRerunCommand extends LedgerCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "eval_id of the score.")
  private String id = "";

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      required = true,
      description = "What is measured now.")
  private String endpoint = "";

  @Mixin private final EndpointAccess asking = new EndpointAccess();

  @Option(
      names = "--results",
      paramLabel = "PATH",
      description = "Where the command writes its results; needed when it does not name {results}.")
  private @Nullable Path results;

  @Option(names = "--yes", description = "Run the command.")
  private boolean yes;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "Who records; default: the user of this process.")
  private String by = System.getProperty("user.name", "unknown");

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      description = "After --: run this in place of the stored command.")
  private final List<String> command = new ArrayList<>();

  EvalRerunCommand(CommandContext context) {
    super(context);
  }

  @Override
  ExitCode run(LedgerAccess access) throws IOException, InterruptedException {
    String address = EndpointAccess.address(endpoint);
    LedgerEntry old = find(read(access), id);
    List<String> chosen = command.isEmpty() ? stored(old, address) : command;
    if (!yes) {
      throw CommandFailure.usage(
          "nothing was run; --yes runs, against "
              + address
              + ":\n  "
              + SafeCommand.text(SafeCommand.of(chosen).arguments()));
    }
    MeasuredRun run = MeasuredRun.of(address, asking, chosen, results, context());
    Path file = run.results();
    if (file == null) {
      throw new IllegalStateException("a run without a result file");
    }
    EvalResult result = old.result();
    Measurement measurement = ScoreSource.again(old).read(file);
    Provenance provenance =
        new Provenance(
                result.getDeployment(),
                run.before().config(),
                run.before().model(),
                measurement.harness() == null ? result.getHarness() : measurement.harness(),
                measurement.version(),
                measurement.from(),
                measurement.to(),
                null,
                SafeCommand.of(chosen)
                    .generalised(address, results == null ? "" : results.toString()),
                old.resultPaths(),
                new Provenance.AskedSystem(address, true, null, List.of()),
                by,
                id)
            .during(run.from(), run.to())
            .servedBy(run.before().deployment());
    EvalWriter.write(
        access, EvalWriter.records(measurement, provenance, context().clock().instant()), this);
    return ExitCode.DONE;
  }

  /** The command of the record, when it can measure something else than it did. */
  private static List<String> stored(LedgerEntry old, String address) {
    EvalResult result = old.result();
    List<String> kept = old.command().arguments();
    if (kept.isEmpty()) {
      throw CommandFailure.usage(old.id() + ": no command was recorded with it; give one after --");
    }
    if (EvalDigest.standing(result) != EvalDigest.Standing.INTACT) {
      throw CommandFailure.usage(
          old.id() + ": the record is not as it was made; give the command after --");
    }
    if (!old.command().leftOut().isEmpty()) {
      throw CommandFailure.usage(
          old.id()
              + ": may be secret and was not kept: "
              + EvalText.printable(String.join(", ", old.command().leftOut()))
              + "; give the whole command after --, secrets best by the environment");
    }
    boolean names = kept.stream().anyMatch(a -> a.contains(SafeCommand.ENDPOINT));
    if (!names && !address.equals(result.getEndpoint())) {
      throw CommandFailure.usage(
          old.id()
              + ": its command does not name {endpoint}, so it would measure what it measured"
              + " before; give one after --");
    }
    return kept;
  }
}
