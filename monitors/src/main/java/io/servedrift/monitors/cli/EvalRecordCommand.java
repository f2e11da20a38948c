package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.LatencyScore;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.Measurement;
import io.servedrift.monitors.ledger.Provenance;
import io.servedrift.monitors.ledger.SafeCommand;
import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.monitors.ledger.io.ResultFiles;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
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
    name = "record",
    description = {
      "Record scores with the configuration they were measured on.",
      "With --endpoint and a command after --, the command is run between two looks at the"
          + " endpoint; {endpoint} and {results} in it are filled in. Without --endpoint it is kept"
          + " and not run. Options and members that may be secret are not kept."
    })
final class EvalRecordCommand extends LedgerCommand {
  @Mixin private final ScoreOptions score = new ScoreOptions();
  @Mixin private final MeasuredOptions measured = new MeasuredOptions();

  @Option(
      names = "--supersedes",
      paramLabel = "ID",
      description = "eval_id of the record whose place this one takes.")
  private @Nullable String supersedes;

  @Option(
      names = "--force",
      description = "Record a score without a configuration, and mark it unconfigured.")
  private boolean force;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "After --: what measures.")
  private final List<String> command = new ArrayList<>();

  EvalRecordCommand(CommandContext context) {
    super(context);
  }

  @Override
  void requireUsable() {
    boolean runs = !command.isEmpty() && measured.address() != null;
    List<String> problems = new ArrayList<>(score.problems(runs));
    problems.addAll(measured.problems(runs));
    if (!command.isEmpty()
        && !spec().commandLine().getParseResult().originalArgs().contains("--")) {
      problems.add("'" + command.get(0) + "': the command that measures stands after --");
    }
    if (!problems.isEmpty()) {
      throw CommandFailure.usage(String.join("\n", problems));
    }
  }

  @Override
  ExitCode run(LedgerAccess access) throws IOException, InterruptedException {
    ConfigDocument documents = measured.documents(context());
    String address = measured.address();
    if (address != null && documents.config() != null) {
      throw CommandFailure.usage(
          "--model-config: the endpoint says the configuration; --intended FILE says another one");
    }
    LedgerEntry old = supersedes == null ? null : find(read(access), supersedes);
    if (old != null && !score.canBe(old)) {
      throw CommandFailure.usage(
          "--supersedes " + old.id() + ": is of " + EvalText.printable(old.name()));
    }
    if (address == null) {
      requireConfiguration(documents.config());
      Path file = score.results() == null ? null : ResultFiles.present(score.results()).newest();
      Measurement measurement = score.measurement(file);
      return record(
          access,
          measurement,
          provenance(measurement, documents, SafeCommand.of(command), null),
          old);
    }
    Fingerprint intended = measured.intended(context());
    access.requireWritable();
    EvalWriter.requireValid(
        score.probe(),
        provenance(score.probe(), documents, kept(address), null),
        context().clock().instant());
    MeasuredRun run =
        command.isEmpty()
            ? MeasuredRun.ofTheMoment(address, measured.access(), context())
            : MeasuredRun.of(
                address,
                measured.access(),
                command,
                score.results(),
                system -> requireFits(system, documents),
                context());
    requireFits(run.before(), documents);
    Path file = run.results();
    if (file == null && score.results() != null) {
      file = ResultFiles.present(score.results()).newest();
    }
    Measurement measurement = score.measurement(file);
    run.requireWithin(measurement);
    Provenance.AskedSystem asked = MeasuredOptions.asked(address, run, intended);
    Measurement when = run.after() == null ? measurement : measurement.withoutTime();
    return record(
        access,
        measurement,
        provenance(when, resolved(run.before(), documents), kept(address), asked)
            .during(run.from(), run.to())
            .servedBy(run.before().deployment()),
        old);
  }

  private void requireConfiguration(@Nullable Fingerprint config) {
    if (force || (config != null && config.isKnown())) {
      return;
    }
    throw CommandFailure.usage(
        (config == null
                ? "no configuration given: a score belongs to the configuration it was measured on;"
                : "nothing in the configuration counts;")
            + " needs --model-config FILE (eval checklist prints a form) or --endpoint URL, or"
            + " --force to record it as unconfigured");
  }

  /** What the options say beside the endpoint must not be something else. */
  private void requireFits(SystemCapture system, ConfigDocument given) {
    if (system.model() != null && given.model() != null) {
      throw CommandFailure.usage("--model-config: the endpoint says the model");
    }
    String deployment = measured.deployment();
    if (deployment != null
        && system.deployment() != null
        && !deployment.equals(system.deployment())) {
      throw CommandFailure.usage(
          "--deployment "
              + deployment
              + ": the endpoint says that it is "
              + EvalText.printable(system.deployment()));
    }
  }

  /** What the endpoint says wins; a model that it does not say may be given. */
  private static ConfigDocument resolved(SystemCapture system, ConfigDocument given) {
    return new ConfigDocument(
        system.config(), system.model() == null ? given.model() : system.model());
  }

  private SafeCommand kept(String address) {
    Path results = score.results();
    return SafeCommand.of(command).generalised(address, results == null ? "" : results.toString());
  }

  private Provenance provenance(
      Measurement measurement,
      ConfigDocument documents,
      SafeCommand kept,
      Provenance.@Nullable AskedSystem asked) {
    return new Provenance(
        measured.deployment(),
        documents.config(),
        documents.model(),
        measured.harness() == null ? measurement.harness() : measured.harness(),
        measured.harnessVersion() == null ? measurement.version() : measured.harnessVersion(),
        measured.from() == null ? measurement.from() : measured.from(),
        measured.to() == null ? measurement.to() : measured.to(),
        measured.concurrency(),
        kept,
        score.paths(),
        asked,
        measured.by(),
        null);
  }

  private ExitCode record(
      LedgerAccess access,
      Measurement measurement,
      Provenance provenance,
      @Nullable LedgerEntry old)
      throws IOException, InterruptedException {
    measurement.skipped().forEach(why -> note("passed over " + why));
    List<LedgerEntry> entries =
        EvalWriter.records(measurement, provenance, old, context().clock().instant());
    for (LedgerEntry entry : entries) {
      if (LatencyScore.is(entry.result()) && entry.result().getConcurrency() == null) {
        note(entry.name() + ": a latency without --concurrency cannot be compared with another");
      }
    }
    if (old != null && entries.stream().noneMatch(entry -> entry.isOfTheSame(old))) {
      note(
          "nothing recorded is of the evaluation, metric and data of "
              + old.id()
              + ", which stands");
    }
    if (!command.isEmpty() && provenance.system() == null) {
      note("the command is kept and was not run; --endpoint URL runs it");
    }
    EvalWriter.write(access, entries, this);
    return ExitCode.DONE;
  }

  private void note(String text) {
    context().terminal().err().println("servedrift: " + text);
  }
}
