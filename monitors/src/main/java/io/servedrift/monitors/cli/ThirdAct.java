package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.demo.ScenePrompts;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.FindingTest;
import io.servedrift.monitors.gate.GateJudge;
import io.servedrift.monitors.gate.GatePolicy;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.report.ConditionTable;
import io.servedrift.monitors.gate.run.Declaration;
import io.servedrift.monitors.gate.run.EndpointAccess;
import io.servedrift.monitors.gate.run.GateInputException;
import io.servedrift.monitors.gate.run.GatePrompt;
import io.servedrift.monitors.gate.run.GateRunner;
import io.servedrift.monitors.gate.run.RunEstimate;
import io.servedrift.monitors.gate.run.RunInput;
import io.servedrift.monitors.gate.run.RunListener;
import io.servedrift.monitors.gate.run.RunOptions;
import io.servedrift.monitors.gate.run.Timeline;
import io.servedrift.monitors.gate.run.UnreachableException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Act three of the demonstration: telemetry has named a cause, now the release gate's own arms
 * decide. The prompts that come again and again are asked of both configurations, alone and in
 * company, with the cache and without, each with the same seed everywhere. Used once; not
 * thread-safe.
 */
final class ThirdAct {
  /** Enough for a loss that the monitor finds, and about a minute on two cores. */
  private static final int PROMPTS = 60;

  private static final int IN_FLIGHT = 8;
  private static final String SCORE = "clip";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MOST_BYTES = 8 << 20;
  private static final Set<CheckName> CHECKS =
      EnumSet.of(CheckName.SEED_PARITY, CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY);

  /** A short run: fewer pairs than a release needs, which widens the intervals that are shown. */
  private static final String POLICY = "minimum_pairs: 30\noutputs: {identical_share: 0.9}\n";

  private final Path folder;
  private final Clock clock;
  private final DemoPrinter printer;
  private final BooleanSupplier stopped;

  /**
   * Prepares.
   *
   * @param folder for the run's journal and outputs
   * @param stopped whether to end early
   */
  ThirdAct(Path folder, Clock clock, DemoPrinter printer, BooleanSupplier stopped) {
    this.folder = folder;
    this.clock = clock;
    this.printer = printer;
    this.stopped = stopped;
  }

  /** What is asked of whom. */
  record Sides(String before, String now, String scorer) {}

  /**
   * Runs the test and tells what it says.
   *
   * @param finding what the monitor found
   * @return whether it was done; false when it was stopped
   */
  boolean play(Sides sides, ScenePrompts prompts, int steps, long seed, JsonNode finding)
      throws IOException, InterruptedException {
    printer.act(
        "Act three: the test that decides it",
        List.of(
            PROMPTS
                + " prompts of these acts, each with one seed, on both configurations: alone and"
                + " with "
                + IN_FLIGHT
                + " in flight,",
            "with the cache and without; the release gate's own arms (servedrift gate)"));
    GateRunner.Ended ended = run(input(sides, asked(prompts, steps, seed), seed));
    if (!ended.whole()) {
      return false;
    }
    tell(ended.evidence(), finding);
    return true;
  }

  private GateRunner.Ended run(RunInput input) throws IOException, InterruptedException {
    try {
      return new GateRunner(
              input, folder.resolve("act-three"), Timeline.of(clock), new Progress(), stopped)
          .run();
    } catch (GateInputException e) {
      throw new CommandFailure(ExitCode.INTERNAL_ERROR, String.valueOf(e.getMessage()), e);
    } catch (UnreachableException e) {
      throw new CommandFailure(ExitCode.UNREACHABLE, String.valueOf(e.getMessage()), e);
    }
  }

  private static RunInput input(Sides sides, List<GatePrompt> asked, long seed) {
    Declaration none = Declaration.none(Modality.IMAGE);
    return new RunInput(
        access(sides.before()),
        access(sides.now()),
        none,
        none,
        asked,
        access(sides.scorer()),
        null,
        null,
        null,
        facts -> Readiness.notLookedAt(),
        new RunOptions(
            seed,
            PROMPTS,
            List.of(IN_FLIGHT),
            0,
            null,
            List.of(1.0),
            2,
            Duration.ofSeconds(1),
            Duration.ZERO,
            0,
            PATIENCE,
            CHECKS));
  }

  private static EndpointAccess access(String address) {
    return new EndpointAccess(URI.create(address), null, null, PATIENCE, MOST_BYTES);
  }

  /** The popular prompts in turn, each time with another seed. */
  private static List<GatePrompt> asked(ScenePrompts prompts, int steps, long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    List<ScenePrompts.ScenePrompt> popular = prompts.popular();
    List<GatePrompt> asked = new ArrayList<>();
    for (int i = 0; i < PROMPTS; i++) {
      ScenePrompts.ScenePrompt prompt = popular.get(i % popular.size());
      asked.add(
          new GatePrompt(
              i,
              prompt.text(),
              null,
              prompt.promptClass(),
              null,
              null,
              null,
              null,
              steps,
              seeds.nextLong(1L << 31),
              null,
              null,
              null,
              null));
    }
    return asked;
  }

  private void tell(Evidence evidence, JsonNode finding) {
    GateResult result = GateJudge.judge(evidence, GatePolicy.parse(POLICY, "act three"));
    printer.tell(
        "The same prompts and seeds in each condition", ConditionTable.lines(evidence, SCORE));
    List<String> lines = new ArrayList<>(ConditionTable.checks(result, CHECKS));
    lines.add(result.deciding().text());
    FindingTest test = FindingTest.of(finding, Map.of(), List.of());
    lines.add(test.sentence(test.answer(result, CHECKS)));
    printer.tell("What the test says", lines);
  }

  /** Lines on stderr. */
  private final class Progress implements RunListener {
    private long next = 1;

    @Override
    public void said(String line) {
      printer.say("  " + line);
    }

    @Override
    public synchronized void progress(long done, long total) {
      if (total > 0 && done * 10 >= next * total) {
        printer.say("  " + done + " of about " + total + " requests");
        next = done * 10 / total + 1;
      }
    }

    @Override
    public void estimated(RunEstimate estimate) {
      printer.say("  about " + estimate.requests() + " requests");
    }
  }
}
