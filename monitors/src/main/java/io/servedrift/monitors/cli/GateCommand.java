package io.servedrift.monitors.cli;

import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.GateJudge;
import io.servedrift.monitors.gate.GateOutcome;
import io.servedrift.monitors.gate.GatePolicy;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.report.GateReport;
import io.servedrift.monitors.gate.run.Afterwards;
import io.servedrift.monitors.gate.run.GateInputException;
import io.servedrift.monitors.gate.run.GatePrompt;
import io.servedrift.monitors.gate.run.GateRunner;
import io.servedrift.monitors.gate.run.NothingUsableException;
import io.servedrift.monitors.gate.run.PromptFile;
import io.servedrift.monitors.gate.run.RecordedTraffic;
import io.servedrift.monitors.gate.run.RunEstimate;
import io.servedrift.monitors.gate.run.RunInput;
import io.servedrift.monitors.gate.run.RunOptions;
import io.servedrift.monitors.gate.run.Timeline;
import io.servedrift.monitors.gate.run.UnreachableException;
import io.servedrift.schemas.PromptHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "gate",
    description =
        "Release gate: ask an old and a new endpoint the same and judge whether to switch.")
final class GateCommand implements Callable<Integer> {
  private static final String KEY_VARIABLE = "SERVEDRIFT_PROMPT_HASH_KEY_FILE";

  @Mixin private GateTargets targets = new GateTargets();

  @Mixin private GateOptions options = new GateOptions();

  @Mixin private GateFinding finding = new GateFinding();

  @Option(
      names = "--prompts",
      paramLabel = "FILE",
      description = "One prompt per line, or one JSON object per line.")
  private @Nullable Path prompts;

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      description =
          "YAML with margins and loads; default: that of the run in the folder, else the built-in"
              + " ones.")
  private @Nullable Path policyFile;

  @Option(
      names = "--traffic",
      paramLabel = "FILE",
      description =
          "Live requests: events, one JSON object per line, or a folder of archive. Their arrivals,"
              + " classes, repeats and concurrency are replayed, their regimes must be covered.")
  private @Nullable Path trafficFile;

  @Option(
      names = "--deployment",
      paramLabel = "NAME",
      description = "Take only requests of this deployment from --traffic.")
  private @Nullable String deployment;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Folder of the journal, the outputs and the report (JSON, HTML, JUnit XML, Markdown). A"
              + " run that was cut short there is gone on with.")
  private @Nullable Path folder;

  @Option(
      names = "--resume",
      description = "Go on with the run in --report; without one there it is an error.")
  private boolean resume;

  @Option(
      names = "--judge",
      paramLabel = "DIR",
      description =
          "Judge what an earlier run recorded there, without asking anybody; by the run's policy"
              + " unless --policy names another. Its reports are written anew.")
  private @Nullable Path recorded;

  @Option(
      names = "--estimate",
      description = "Say what it would cost and stop; sends two requests to each side.")
  private boolean estimateOnly;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  private final CommandContext context;

  GateCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException, FileReadException {
    try {
      GatePolicySource policy =
          GatePolicySource.of(policyFile, recorded == null ? folder : recorded);
      if (recorded != null) {
        finding.requireNone("--judge");
        Evidence evidence = GateRunner.recorded(recorded);
        GateProgress.say(context, policy.said());
        return show(evidence, policy.policy(), recorded, recordedPrompts()).code();
      }
      return ask(policy).code();
    } catch (GateInputException e) {
      throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    } catch (NothingUsableException e) {
      throw new CommandFailure(ExitCode.CHECK_FAILED, String.valueOf(e.getMessage()), e);
    } catch (UnreachableException e) {
      throw new CommandFailure(ExitCode.UNREACHABLE, String.valueOf(e.getMessage()), e);
    }
  }

  private List<GatePrompt> recordedPrompts() throws IOException, GateInputException {
    return prompts == null ? List.of() : PromptFile.read(prompts);
  }

  private ExitCode ask(GatePolicySource policy)
      throws IOException,
          InterruptedException,
          FileReadException,
          GateInputException,
          UnreachableException {
    List<String> problems = new ArrayList<>();
    GateTargets.Resolved asked = targets.resolve(context, problems);
    List<GatePrompt> read = prompts(problems);
    checkResume(problems);
    finding.find(context, problems);
    RecordedTraffic traffic =
        trafficFile == null
            ? null
            : GateTraffic.read(trafficFile, deployment, finding::take, context);
    RunOptions run =
        finding.narrowed(options.of(policy.policy(), traffic, problems), read, problems);
    if (asked == null || !problems.isEmpty()) {
      throw CommandFailure.usage(String.join("\n", problems));
    }
    finding.keepCase(prompts);
    finding.tell(context);
    GateProgress.say(context, policy.said());
    RunInput input =
        new RunInput(
            asked.old(),
            asked.fresh(),
            asked.oldDeclared(),
            asked.newDeclared(),
            finding.prompts(read, run.samples()),
            asked.scorer(),
            traffic,
            asked.switched(),
            asked.flipCommand(),
            Afterwards.of(asked.monitor(), asked.alertmanager(), Timeline.of(context.clock())),
            run);
    try (Parts parts = new Parts()) {
      return run(input, policy, folder(parts), read);
    }
  }

  private List<GatePrompt> prompts(List<String> problems) throws IOException {
    if (prompts == null) {
      problems.add("--prompts FILE: must be given");
      return List.of();
    }
    try {
      List<GatePrompt> read = PromptFile.read(prompts);
      String keyFile = context.environment().get(KEY_VARIABLE);
      return keyFile == null || keyFile.isBlank() ? read : hashed(read, Path.of(keyFile), problems);
    } catch (GateInputException e) {
      problems.add(String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  /** The prompts with the hashes that events have in place of their texts. */
  private static List<GatePrompt> hashed(
      List<GatePrompt> read, Path keyFile, List<String> problems) {
    try {
      PromptHash hash = PromptHashKey.fromFile(keyFile);
      return read.stream().map(one -> one.hashed(hash.of(one.text()))).toList();
    } catch (IllegalArgumentException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    return List.of();
  }

  private void checkResume(List<String> problems) {
    if (resume && (folder == null || !GateRunner.isBegun(folder))) {
      problems.add("--resume: needs --report DIR of a run that was begun");
    }
  }

  /** What nobody names is not kept. */
  private Path folder(Parts parts) throws IOException {
    if (folder != null) {
      return folder;
    }
    Path scratch = Files.createTempDirectory("servedrift-gate-");
    parts.add("scratch folder", () -> Folders.delete(scratch));
    return scratch;
  }

  private ExitCode run(RunInput input, GatePolicySource policy, Path into, List<GatePrompt> all)
      throws IOException, InterruptedException, GateInputException, UnreachableException {
    GateRunner.Ended ended;
    long wanted = policy.policy().load().leastRequests();
    try (StopSignal signal = StopSignal.installForWork();
        Progress progress = context.progress("gate")) {
      GateRunner runner =
          new GateRunner(
              input,
              into,
              Timeline.of(context.clock()),
              new GateProgress(context, progress, wanted),
              signal::isStopped);
      if (estimateOnly) {
        showEstimate(runner.estimate(), wanted);
        return ExitCode.DONE;
      }
      ended = runner.run(policy.text());
    }
    if (!ended.whole()) {
      String next =
          folder == null ? "nothing is kept without --report" : "the same command goes on with it";
      context.terminal().err().println("servedrift: interrupted; " + next);
      return ExitCode.INTERRUPTED;
    }
    return show(ended.evidence(), policy.policy(), folder, all);
  }

  private void showEstimate(RunEstimate estimate, long wanted) {
    if (!json) {
      new GatePrinter(context.terminal().out()).print(estimate, wanted);
      return;
    }
    JsonOutput.print(EstimateDocument.of(estimate, wanted), context.terminal().out());
  }

  private ExitCode show(
      Evidence evidence, GatePolicy policy, @Nullable Path into, List<GatePrompt> asked)
      throws IOException {
    GateResult result = GateJudge.judge(evidence, policy);
    List<String> texts = asked.stream().map(GatePrompt::text).toList();
    GateReport report = GateReport.of(result, evidence, texts);
    if (into != null) {
      report.write(into);
      context.terminal().err().println("report: " + into.resolve(GateReport.PAGE));
    }
    if (json) {
      JsonOutput.print(finding.addTo(report.document(), result), context.terminal().out());
    } else {
      new GatePrinter(context.terminal().out()).print(result);
      finding.print(result, context.terminal().out());
    }
    return code(result.outcome());
  }

  private static ExitCode code(GateOutcome outcome) {
    return switch (outcome) {
      case PASS -> ExitCode.DONE;
      case FAIL -> ExitCode.CHECK_FAILED;
      case INSUFFICIENT -> ExitCode.INSUFFICIENT;
    };
  }
}
