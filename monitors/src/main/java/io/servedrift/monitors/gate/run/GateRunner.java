package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a gate into a folder: what the endpoints are, every step of the plan, the way back, what the
 * endpoints are afterwards. Killed at any moment, it goes on where it was. For one run.
 */
public final class GateRunner {
  /**
   * How a run ended.
   *
   * @param whole whether everything planned was done
   * @param evidence what was recorded
   */
  public record Ended(boolean whole, Evidence evidence) {}

  private final RunInput input;
  private final Path folder;
  private final Timeline timeline;
  private final RunListener listener;
  private final BooleanSupplier stopped;
  private final List<GatePrompt> sample;
  private final Sides sides;
  private final PeakRate peak;
  private final RollbackStep rollback;
  private final AtomicLong answered = new AtomicLong();
  private long planned;

  /**
   * A run.
   *
   * @param folder of the journal and the outputs
   * @param stopped whether to end early; the journal can then be gone on with
   */
  public GateRunner(
      RunInput input,
      Path folder,
      Timeline timeline,
      RunListener listener,
      BooleanSupplier stopped) {
    this.input = input;
    this.folder = folder;
    this.timeline = timeline;
    this.listener = listener;
    this.stopped = stopped;
    this.sides = new Sides(input, timeline);
    this.peak = new PeakRate(input.options(), input.traffic(), listener);
    this.rollback = new RollbackStep(input.options(), timeline, stopped, listener::said);
    this.sample =
        PromptSample.of(
            input.prompts(),
            input.options().samples(),
            input.traffic() == null ? Map.of() : input.traffic().profile().classes(),
            input.options().seed());
  }

  /**
   * The evidence of a folder, without asking anybody.
   *
   * @throws GateInputException when it holds none
   */
  public static Evidence recorded(Path folder) throws IOException, GateInputException {
    return RunRecord.read(folder).evidence();
  }

  /** Whether a folder holds the journal of a run. */
  public static boolean isBegun(Path folder) {
    return Files.isRegularFile(folder.resolve(Journal.NAME));
  }

  /**
   * Runs, or goes on with what the folder holds.
   *
   * @throws GateInputException when the folder holds another run, or the endpoints are not of one
   *     kind
   * @throws UnreachableException when nothing answers at an address, or the first requests to both
   *     sides failed
   */
  public Ended run()
      throws IOException, InterruptedException, GateInputException, UnreachableException {
    return run(null);
  }

  /**
   * As {@link #run()}.
   *
   * @param policy text to keep with the run, see {@link KeptPolicy}; null for none
   * @throws GateInputException as {@link #run()}
   * @throws UnreachableException as {@link #run()}
   */
  public Ended run(@Nullable String policy)
      throws IOException, InterruptedException, GateInputException, UnreachableException {
    requirePrompts();
    try (Journal journal = Journal.open(folder)) {
      RunRecord record = RunRecord.read(folder);
      RunIdentity identity = RunIdentity.of(input, sample);
      identity.requireSame(record.plan(), folder);
      if (record.facts(true, Side.NEW) != null) {
        throw new GateInputException(
            folder + ": holds a run that has ended: judge it with --judge, or take another folder");
      }
      RunLog log = new RunLog(record, journal);
      begin(log, identity);
      if (policy != null) {
        KeptPolicy.keep(folder, policy);
      }
      return new Ended(perform(log, identity), record.evidence());
    }
  }

  /**
   * What a run would cost; sends a few requests to each side.
   *
   * @throws GateInputException as {@link #run()}
   * @throws UnreachableException as {@link #run()}
   */
  public RunEstimate estimate() throws GateInputException, UnreachableException {
    requirePrompts();
    for (Side side : Side.values()) {
      sides.meet(side);
    }
    return estimate(plan(), new RunRecord());
  }

  private void requirePrompts() throws GateInputException {
    int levels = BlockLevels.distinct(input.options().concurrency());
    if (levels > sample.size()) {
      throw new GateInputException(
          "--concurrency: "
              + levels
              + " levels need at least as many prompts, there are "
              + sample.size());
    }
  }

  private GatePlan plan() {
    return new GatePlan(input.options(), sample, sides::profile);
  }

  private void begin(RunLog log, RunIdentity identity)
      throws IOException, GateInputException, UnreachableException {
    Map<Side, EndpointFacts> now = new EnumMap<>(Side.class);
    for (Side side : Side.values()) {
      now.put(side, sides.meet(side));
    }
    if (log.record().plan() == null) {
      log.plan(identity);
    } else {
      listener.said("going on with the run in " + folder);
      if (log.record().isFlipOpen()) {
        listener.said("WARNING: " + RunRecord.FLIP_OPEN);
      }
    }
    for (Map.Entry<Side, EndpointFacts> met : now.entrySet()) {
      EndpointFacts before = log.record().facts(false, met.getKey());
      if (before == null) {
        log.facts(false, met.getValue());
      } else {
        requireSame(before, met.getValue());
      }
    }
    if (log.record().settings() == null) {
      if (input.traffic() != null) {
        log.traffic(input.traffic().profile());
      }
      log.settings(identity.settings(input, sample, timeline));
    }
    log.sync();
  }

  private void requireSame(EndpointFacts before, EndpointFacts now) throws GateInputException {
    if (!Objects.equals(before.configId(), now.configId())
        || !Objects.equals(before.modelId(), now.modelId())) {
      throw new GateInputException(
          now.url()
              + ": is not what it was when the run in "
              + folder
              + " began: begin anew in another folder");
    }
  }

  /**
   * Seconds of a request when there is no other. Of a side whose first requests all failed, which
   * is said, those of the other.
   *
   * @throws UnreachableException when the first requests to both failed
   */
  private Map<Side, Double> secondsAlone() throws UnreachableException {
    List<Probe> probes =
        Arrays.stream(Side.values()).map(side -> sides.probe(side, sample.get(0))).toList();
    List<Probe> failed = probes.stream().filter(Probe::failed).toList();
    if (failed.size() == probes.size()) {
      String what =
          String.join("\n", failed.stream().map(Probe::said).toList())
              + "\nno side gives an answer that can be used: there is nothing to compare";
      throw failed.stream().noneMatch(Probe::reached)
          ? new UnreachableException(what)
          : new NothingUsableException(what);
    }
    failed.forEach(one -> listener.said(one.said() + "; going on, for the other side answers"));
    double other =
        probes.stream().map(Probe::seconds).filter(Objects::nonNull).findFirst().orElse(0.0);
    Map<Side, Double> seconds = new EnumMap<>(Side.class);
    for (Probe probe : probes) {
      seconds.put(probe.side(), probe.seconds() == null ? other : probe.seconds());
    }
    return seconds;
  }

  private RunEstimate estimate(GatePlan plan, RunRecord record) throws UnreachableException {
    List<Step> left = plan.steps().stream().filter(step -> !record.isDone(step.id())).toList();
    Map<Side, Double> seconds = secondsAlone();
    return RunEstimate.of(
        plan,
        left,
        input.options(),
        side -> seconds.getOrDefault(side, 0.0),
        peak.known(record),
        rollback.isLeft(record) ? input.options().afterFlip() : 0);
  }

  /** Whether everything planned was done. */
  private boolean perform(RunLog log, RunIdentity identity)
      throws IOException, InterruptedException, UnreachableException {
    GatePlan plan = plan();
    RunEstimate estimate = estimate(plan, log.record());
    planned = estimate.requests();
    listener.estimated(estimate);
    OutputFolder outputs = new OutputFolder(folder);
    StepRunner runner =
        new StepRunner(
            input.options(),
            sides::endpoint,
            input.traffic(),
            timeline,
            new AnswerMaker(timeline, outputs),
            identity.runId(),
            stopped,
            () -> listener.progress(answered.incrementAndGet(), planned));
    Scoring scoring = scoring(log, outputs);
    for (Step step : plan.steps()) {
      if (log.record().isDone(step.id())) {
        continue;
      }
      double perSecond = step.regime() == Regime.OPEN_LOOP ? peak.of(log) : 1;
      List<Answer> answers = runner.run(step, perSecond);
      if (stopped.getAsBoolean()) {
        return false;
      }
      log.step(step.id(), scoring == null ? answers : scoring.score(answers));
    }
    return wayBack(runner, log) && finish(log, outputs);
  }

  private @Nullable Scoring scoring(RunLog log, OutputFolder outputs) {
    if (input.scorer() == null || !sides.makeImages()) {
      return null;
    }
    Map<Integer, GatePrompt> byIndex = new HashMap<>();
    sample.forEach(prompt -> byIndex.put(prompt.index(), prompt));
    return new Scoring(
        new ScorerClient(new HttpCaller(input.scorer(), timeline)),
        outputs,
        log.journal(),
        log.record().embedded(),
        index -> Objects.requireNonNull(byIndex.get(index)),
        listener::said);
  }

  private boolean wayBack(StepRunner runner, RunLog log) throws IOException, InterruptedException {
    if (!rollback.isLeft(log.record())) {
      return true;
    }
    Rollback.Setting setting =
        sides.wayBack(
            before(log, Side.OLD), before(log, Side.NEW), sample, folder.resolve("flip.log"));
    return rollback.run(setting, runner, log);
  }

  private static EndpointFacts before(RunLog log, Side side) {
    return Objects.requireNonNull(log.record().facts(false, side));
  }

  private boolean finish(RunLog log, OutputFolder outputs) throws IOException {
    new Distances(outputs, log.record().embedded()).measure(log.record().answers(), log, stopped);
    if (stopped.getAsBoolean()) {
      return false;
    }
    log.readiness(input.readiness().apply(before(log, Side.NEW)));
    for (Side side : Side.values()) {
      log.facts(true, sides.factsNow(side));
    }
    log.sync();
    return true;
  }
}
