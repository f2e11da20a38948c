package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.ArmPair;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.PairDistance;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.RunSettings;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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
  private static final String ROLLBACK = "rollback";
  private static final double NANOS = 1e9;
  private static final int PROBES = 2;

  /** Of what a closed loop gets through: an open loop at 1.2 of it is still below capacity. */
  private static final double PEAK_OF_CAPACITY = .7;

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
  private final Map<Side, FactsReader> readers = new EnumMap<>(Side.class);
  private final Map<Side, Endpoint> endpoints = new EnumMap<>(Side.class);
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
    return RunRecord.of(Journal.read(folder)).evidence();
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
   * @throws UnreachableException when nothing answers at an address
   */
  public Ended run()
      throws IOException, InterruptedException, GateInputException, UnreachableException {
    List<JsonNode> lines = new ArrayList<>();
    try (Journal journal = Journal.open(folder, lines)) {
      RunRecord record = RunRecord.of(lines);
      RunIdentity identity = RunIdentity.of(input, sample);
      identity.requireSame(record.plan(), folder);
      if (record.facts(true, Side.NEW) != null) {
        throw new GateInputException(
            folder + ": holds a run that has ended: judge it with --judge, or take another folder");
      }
      begin(record, journal, identity);
      return new Ended(perform(record, journal, identity), record.evidence());
    }
  }

  /**
   * What a run would cost; sends a few requests to each side.
   *
   * @throws GateInputException as {@link #run}
   * @throws UnreachableException as {@link #run}
   */
  public RunEstimate estimate() throws GateInputException, UnreachableException {
    for (Side side : Side.values()) {
      meet(side);
    }
    return estimate(plan(), new RunRecord());
  }

  private GatePlan plan() {
    return new GatePlan(input.options(), sample, side -> endpoint(side).profile());
  }

  private Endpoint endpoint(Side side) {
    Endpoint endpoint = endpoints.get(side);
    if (endpoint == null) {
      throw new IllegalStateException(side + " was not asked yet what it is");
    }
    return endpoint;
  }

  /** Finds out what a side is and how to speak to it. */
  private EndpointFacts meet(Side side) throws GateInputException, UnreachableException {
    EndpointAccess access = input.access(side);
    Caller caller = new HttpCaller(access, timeline);
    FactsReader reader = new FactsReader(side, access, caller, input.declared(side));
    FactsReader.Found found = reader.read();
    if (!found.reached()) {
      throw new UnreachableException(
          "--" + side.label() + " " + access + ": nothing answers there");
    }
    readers.put(side, reader);
    endpoints.put(side, new Endpoint(caller, found.declared()));
    Endpoint old = endpoints.get(Side.OLD);
    Modality modality = found.facts().profile().modality();
    if (old != null && old.profile().modality() != modality) {
      throw new GateInputException("one endpoint makes images, the other answers chats");
    }
    return found.facts();
  }

  private void begin(RunRecord record, Journal journal, RunIdentity identity)
      throws IOException, GateInputException, UnreachableException {
    boolean fresh = record.plan() == null;
    for (Side side : Side.values()) {
      EndpointFacts now = meet(side);
      EndpointFacts before = record.facts(false, side);
      if (before == null) {
        record.facts(false, now);
      } else if (!Objects.equals(before.configId(), now.configId())
          || !Objects.equals(before.modelId(), now.modelId())) {
        throw new GateInputException(
            input.access(side)
                + ": is not what it was when the run in "
                + folder
                + " began: begin anew in another folder");
      }
    }
    if (fresh) {
      journal.append("plan", "plan", identity.plan());
    } else {
      listener.said("going on with the run in " + folder);
    }
    if (record.settings() == null) {
      Double temperature =
          sample.stream()
              .map(GatePrompt::temperature)
              .filter(java.util.Objects::nonNull)
              .findFirst()
              .orElse(null);
      RunSettings settings = identity.settings(input, sample.size(), timeline, temperature);
      record.settings(settings);
      journal.append("settings", "settings", settings);
      for (Side side : Side.values()) {
        writeFacts(journal, "before", record.facts(false, side));
      }
      if (input.traffic() != null) {
        record.traffic(input.traffic().profile());
        journal.append("traffic", "traffic", RunRecord.tree(input.traffic().profile()));
      }
    }
    journal.sync();
  }

  private static void writeFacts(Journal journal, String when, @Nullable EndpointFacts facts)
      throws IOException {
    var line = Journal.JSON.createObjectNode().put("kind", "facts").put("when", when);
    line.set("facts", Journal.JSON.valueToTree(facts));
    journal.append(line);
  }

  private RunEstimate estimate(GatePlan plan, RunRecord record) {
    List<Step> left = plan.steps().stream().filter(step -> !record.isDone(step.id())).toList();
    Map<Side, Double> seconds = new EnumMap<>(Side.class);
    for (Side side : Side.values()) {
      seconds.put(side, probe(endpoint(side)));
    }
    boolean rollback = input.options().has(CheckName.ROLLBACK) && !record.isDone(ROLLBACK);
    return RunEstimate.of(
        plan,
        left,
        input.options(),
        side -> seconds.getOrDefault(side, 0.0),
        givenPeak(record),
        rollback ? input.options().afterFlip() : 0);
  }

  /** Seconds of a request when there is no other; the first one only warms up. */
  private double probe(Endpoint endpoint) {
    GatePrompt prompt = sample.get(0);
    double seconds = 0;
    for (int i = 0; i < PROBES; i++) {
      long begin = timeline.nanos();
      Call call = endpoint.dialect().call(prompt, i, Dialect.Mode.CLEAN, "gate-probe-" + i);
      seconds = (endpoint.send(call).join().doneNanos() - begin) / NANOS;
    }
    return seconds;
  }

  private @Nullable Double givenPeak(RunRecord record) {
    if (input.options().peakPerSecond() != null) {
      return input.options().peakPerSecond();
    }
    if (record.peak() != null) {
      return record.peak();
    }
    return input.traffic() == null ? null : input.traffic().peakPerSecond();
  }

  /** Whether everything planned was done. */
  private boolean perform(RunRecord record, Journal journal, RunIdentity identity)
      throws IOException, InterruptedException {
    GatePlan plan = plan();
    RunEstimate estimate = estimate(plan, record);
    planned = estimate.requests();
    listener.estimated(estimate);
    OutputFolder outputs = new OutputFolder(folder);
    StepRunner runner =
        new StepRunner(
            input.options(),
            this::endpoint,
            input.traffic(),
            timeline,
            new AnswerMaker(timeline, outputs),
            identity.runId(),
            stopped,
            () -> listener.progress(answered.incrementAndGet(), planned));
    Scoring scoring = scoring(record, journal, outputs);
    for (Step step : plan.steps()) {
      if (record.isDone(step.id())) {
        continue;
      }
      if (step.regime() == Regime.OPEN_LOOP && givenPeak(record) == null) {
        findPeak(record, journal);
      }
      Double peak = givenPeak(record);
      List<Answer> answers = runner.run(step, peak == null ? 1 : peak);
      if (stopped.getAsBoolean()) {
        return false;
      }
      write(step.id(), scoring == null ? answers : scoring.score(answers), record, journal);
    }
    return rollback(runner, record, journal) && finish(record, journal, outputs);
  }

  private @Nullable Scoring scoring(RunRecord record, Journal journal, OutputFolder outputs) {
    if (input.scorer() == null || endpoint(Side.OLD).profile().modality() != Modality.IMAGE) {
      return null;
    }
    Map<Integer, GatePrompt> byIndex = new HashMap<>();
    sample.forEach(prompt -> byIndex.put(prompt.index(), prompt));
    return new Scoring(
        new ScorerClient(new HttpCaller(input.scorer(), timeline)),
        outputs,
        journal,
        record.embedded(),
        index -> Objects.requireNonNull(byIndex.get(index)),
        listener::said);
  }

  /** The step's answers, and then that it is done: a part of them never counts. */
  private static void write(String step, List<Answer> answers, RunRecord record, Journal journal)
      throws IOException {
    journal.append(Journal.JSON.createObjectNode().put("kind", "begun").put("step", step));
    record.begin(step);
    for (Answer answer : answers) {
      var line = Journal.JSON.createObjectNode().put("kind", "answer").put("step", step);
      line.set("answer", Journal.JSON.valueToTree(answer));
      journal.append(line);
      record.add(step, answer);
    }
    journal.append(Journal.JSON.createObjectNode().put("kind", "done").put("step", step));
    record.finish(step);
    journal.sync();
  }

  private void findPeak(RunRecord record, Journal journal) throws IOException {
    double seconds = input.options().block().toMillis() / 1e3;
    long good = 0;
    long blocks = 0;
    for (Answer answer : record.answers()) {
      if (answer.arm().side() == Side.OLD && answer.arm().regime() == Regime.FIXED_CONCURRENCY) {
        good += answer.ok() ? 1 : 0;
        blocks = Math.max(blocks, answer.block() + 1L);
      }
    }
    // An endpoint that gives no good answer is asked once a second, which shows that it does not.
    double peak = good == 0 ? 1 : PEAK_OF_CAPACITY * good / (blocks * seconds);
    record.peak(peak);
    journal.append(Journal.JSON.createObjectNode().put("kind", "peak").put("per_second", peak));
    listener.said(
        String.format(
            Locale.ROOT,
            "peak rate: %.2f/s, %.0f %% of what the old side does with %d in flight",
            peak,
            100 * PEAK_OF_CAPACITY,
            input.options().typicalConcurrency()));
  }

  private boolean rollback(StepRunner runner, RunRecord record, Journal journal)
      throws IOException, InterruptedException {
    if (!input.options().has(CheckName.ROLLBACK) || record.isDone(ROLLBACK)) {
      return true;
    }
    EndpointFacts before = record.facts(false, Side.OLD);
    EndpointFacts wanted = record.facts(false, Side.NEW);
    FactsReader old = readers.get(Side.OLD);
    if (before == null || wanted == null || old == null) {
      throw new IllegalStateException("the endpoints were asked before");
    }
    Rollback.Setting setting;
    if (input.flipCommand() == null || input.switched() == null) {
      setting =
          new Rollback.Setting(
              before, wanted, endpoint(Side.NEW), endpoint(Side.OLD), old::read, null, sample);
    } else {
      Caller caller = new HttpCaller(input.switched(), timeline);
      FactsReader reader = new FactsReader(Side.OLD, input.switched(), caller, input.oldDeclared());
      Endpoint through = new Endpoint(caller, reader.read().declared());
      FlipCommand command =
          new FlipCommand(
              input.flipCommand(), input.options().flipLimit(), folder.resolve("flip.log"));
      setting =
          new Rollback.Setting(before, wanted, through, through, reader::read, command, sample);
    }
    Rollback.Done done = new Rollback(input.options(), runner, timeline, stopped).run(setting);
    if (stopped.getAsBoolean()) {
      return false;
    }
    record.rollback(done.evidence());
    journal.append("rollback", "rollback", done.evidence());
    write(ROLLBACK, done.answers(), record, journal);
    return true;
  }

  private boolean finish(RunRecord record, Journal journal, OutputFolder outputs)
      throws IOException {
    Distances.Sink sink =
        new Distances.Sink() {
          @Override
          public boolean has(ArmPair pair, int prompt, long seed) {
            return record.hasDistance(pair, prompt, seed);
          }

          @Override
          public void add(PairDistance distance) throws IOException {
            record.add(distance);
            journal.append("distance", "distance", distance);
          }
        };
    new Distances(outputs, record.embedded()).measure(record.answers(), sink, stopped);
    if (stopped.getAsBoolean()) {
      return false;
    }
    EndpointFacts fresh = record.facts(false, Side.NEW);
    if (fresh != null) {
      record.readiness(input.readiness().apply(fresh));
      journal.append("readiness", "readiness", record.readiness());
    }
    for (Side side : Side.values()) {
      FactsReader reader = readers.get(side);
      if (reader != null) {
        EndpointFacts after = reader.read().facts();
        record.facts(true, after);
        writeFacts(journal, "after", after);
      }
    }
    journal.sync();
    return true;
  }
}
