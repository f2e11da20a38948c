package io.servedrift.monitors.testkit;

import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedScenario.Said;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * What is measured on the whole way of the product, from events to findings, under the default
 * policy and from the first start on. Stateless.
 */
final class ProductPart {
  /** Of the runs of a case, so many have to come out right. */
  private static final double RIGHT = 0.91;

  private static final double FOUND = 0.95;
  private static final Duration YOUNG = Duration.ofHours(2);

  private ProductPart() {}

  /** Says on stderr what came out wrong: the table shows only how often. */
  private static void report(String part, String name, JudgedScenario run, List<Said> what) {
    System.err.printf(
        "%s: %s, seed %d, onset %s: %s%n",
        part, name, run.scenario().settings().seed(), run.scenario().onset(), what);
  }

  private static ScenarioScorer.Share share(
      String part, String name, List<JudgedScenario> runs, Predicate<JudgedScenario> good) {
    long hits = 0;
    for (JudgedScenario run : runs) {
      if (good.test(run)) {
        hits++;
      } else {
        report(part, name, run, run.said());
      }
    }
    return ScenarioScorer.Share.of(hits, runs.size());
  }

  /**
   * Two hours after the first start.
   *
   * @param steady whether the load only varies by chance; else it follows the day and rises
   */
  record Young(boolean steady) implements AcceptancePart {
    private static final Duration LENGTH = YOUNG.plusMinutes(45);
    private static final Duration SOON = Duration.ofMinutes(30);
    private static final int RUNS = 40;

    /** An hour before the load of the day is at its mean, 4 requests/s, and rises fastest. */
    private static final double MORNING = 23 / 24.0;

    /** Nodes on which nearly every request is joined by others on its way. */
    private static final int BUSY = 3;

    /** Nodes on which a quarter of the requests runs alone. */
    private static final int ROOMY = 6;

    /** Sizes of an overall shift: a quarter and half of the standard deviation within a class. */
    private static final double QUARTER = 0.0075;

    private static final double HALF = 0.015;

    /**
     * A fault in the size that has to be found.
     *
     * @param drifting whether the scores of all requests wander together, as in the reference
     *     traffic
     * @param nodes that share the load
     * @param bar whether it has to be found, with the right cause; else it is shown only
     */
    record Injected(String name, Fault fault, boolean drifting, int nodes, boolean bar) {
      static Injected of(Fault fault) {
        return new Injected(fault.name(), fault, true, BUSY, true);
      }
    }

    /**
     * The cases. What moves all requests has a bar at a steady load only: at loads never seen
     * nothing is expected of a mean. On few nodes nobody can tell it from joining, and a quarter of
     * a standard deviation that follows a drift is beyond any monitor of this budget.
     */
    List<Injected> cases() {
      Fault quarter = FaultLibrary.nothingRecorded(YOUNG, "clip", QUARTER);
      Fault half = FaultLibrary.nothingRecorded(YOUNG, "clip", HALF);
      return List.of(
          Injected.of(FaultLibrary.cacheHitsLoseClip(YOUNG, 0.02)),
          Injected.of(FaultLibrary.batchMembersCostClip(YOUNG, 0.006)),
          Injected.of(FaultLibrary.largeBatchesSlow(YOUNG, 6, 0.3, 3)),
          Injected.of(FaultLibrary.extraQueueing(YOUNG, 0.25, 2.5)),
          Injected.of(FaultLibrary.requestsPutBack(YOUNG, 0.12, 1.9)),
          Injected.of(FaultLibrary.nodeLosesClip(YOUNG, 1, 0.04)),
          new Injected("nothing recorded, 0.25 sd, no drift", quarter, false, ROOMY, steady),
          new Injected("nothing recorded, 0.5 sd", half, true, ROOMY, steady),
          new Injected("the same on 3 nodes, 0.25 sd, no drift", quarter, false, BUSY, false),
          new Injected("the same on 3 nodes, 0.5 sd", half, true, BUSY, false),
          new Injected("nothing recorded, 0.25 sd", quarter, true, ROOMY, false));
    }

    Scenario scenario(long seed, Injected one) {
      SimulatorSettings fleet = SimulatorSettings.image(seed, LENGTH);
      SimulatorSettings rising = fleet.withLoad(fleet.requestsPerSecond(), one.nodes());
      SimulatorSettings load = steady ? rising.steady() : rising.startedAt(MORNING);
      return Scenario.of(one.drifting() ? load : load.withoutCommonDrift(), one.fault());
    }

    @Override
    public String name() {
      return steady ? "young-steady" : "young";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      int n = size.of(1, RUNS);
      ScenarioScorer all = new ScenarioScorer();
      for (Injected one : cases()) {
        List<JudgedScenario> runs =
            size.forSeeds(n, seed -> JudgedScenario.of(scenario(seed, one)));
        ScenarioScorer soon = new ScenarioScorer();
        runs.forEach(run -> soon.add(run.observation(one.name(), SOON)));
        runs.forEach(run -> all.add(run.observation(one.name())));
        runs.forEach(run -> reportWrong(one, run));
        ScenarioScorer.Row row = soon.total();
        table.accept(row(one, "found in 30 min", row.detected(), FOUND));
        table.accept(row(one, "cause right", row.causeRight(), RIGHT));
      }
      table.accept(
          AcceptanceRow.atLeast(
              name(), "silent before the change", all.total().falseAlarms().silent(), FOUND, RUNS));
      table.accept(
          AcceptanceRow.atMost(
              name(), "serving called model", all.total().servingCalledModel(), 0, RUNS));
    }

    private void reportWrong(Injected one, JudgedScenario run) {
      ScenarioScorer scorer = new ScenarioScorer();
      scorer.add(run.observation(one.name(), SOON));
      ScenarioScorer.Row row = scorer.total();
      if (row.causeRight().hits() == 0 || row.falseAlarms().alarms() > 0) {
        report(name(), one.name(), run, run.said());
      }
    }

    private AcceptanceRow row(Injected one, String what, ScenarioScorer.Share share, double bar) {
      String line = one.name() + ": " + what;
      return one.bar()
          ? AcceptanceRow.atLeast(name(), line, share, bar, RUNS)
          : AcceptanceRow.shown(name(), line, share);
    }
  }

  /** Nobody is told. */
  record Silence() implements AcceptancePart {
    private static final int RUNS = 20;

    /** The cases by name. */
    static Map<String, LongFunction<Scenario>> cases() {
      Map<String, LongFunction<Scenario>> cases = new LinkedHashMap<>();
      cases.put(
          "30 requests an hour, unchanged for 10 days",
          seed ->
              Scenario.of(
                  SimulatorSettings.image(seed, Duration.ofDays(10)).withLoad(30 / 3600.0, 1),
                  FaultLibrary.otherBits(Duration.ofDays(10))));
      three(cases, "three outliers", FaultLibrary.outliers(YOUNG, 3, 120));
      three(cases, "other bits at equal scores", FaultLibrary.otherBits(YOUNG));
      three(
          cases,
          "a burst of one user",
          FaultLibrary.oneUserBurst(YOUNG, Duration.ofMinutes(5), 600, 0));
      three(
          cases,
          "a cache flushed every 2 minutes",
          FaultLibrary.frequentFlushes(Duration.ofMinutes(2), Duration.ofHours(3)));
      cases.put(
          "a gap of 13 hours",
          seed ->
              Scenario.of(
                  SimulatorSettings.image(seed, Duration.ofHours(17)),
                  FaultLibrary.gap(YOUNG, Duration.ofHours(13))));
      three(cases, "a restart", FaultLibrary.rollingRestart(YOUNG, 3, Duration.ofMinutes(1)));
      return cases;
    }

    private static void three(Map<String, LongFunction<Scenario>> cases, String name, Fault fault) {
      cases.put(
          name, seed -> Scenario.of(SimulatorSettings.image(seed, Duration.ofHours(3)), fault));
    }

    @Override
    public String name() {
      return "silence";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      int n = size.of(1, RUNS);
      cases()
          .forEach(
              (name, scenario) -> {
                List<JudgedScenario> runs =
                    size.forSeeds(n, seed -> JudgedScenario.of(scenario.apply(seed)));
                table.accept(
                    AcceptanceRow.atLeast(
                        name(),
                        name,
                        share(name(), name, runs, run -> run.alerts().isEmpty()),
                        1,
                        RUNS));
              });
    }
  }

  /** Cases that are easily misread. */
  record Special() implements AcceptancePart {
    private static final int RUNS = 20;
    private static final Duration LENGTH = YOUNG.plusHours(1).plusMinutes(30);

    /**
     * A case and what is right about it.
     *
     * @param scenario of a seed
     * @param right what has to be said
     */
    record Case(String name, LongFunction<Scenario> scenario, Predicate<JudgedScenario> right) {
      private static List<Said> alerts(JudgedScenario run, String metric) {
        return run.sinceOnset().stream()
            .filter(one -> one.alerts() && one.metric().equals(metric))
            .toList();
      }

      /** Whether the first that somebody is told in a metric of the fault names the cause. */
      private static boolean first(JudgedScenario run, CauseLabel cause) {
        return run.sinceOnset().stream()
            .filter(Said::alerts)
            .filter(one -> run.scenario().truth().metrics().contains(one.metric()))
            .findFirst()
            .filter(one -> one.cause() == cause)
            .isPresent();
      }

      private static boolean neverModel(JudgedScenario run) {
        return run.said().stream().noneMatch(one -> one.cause() == CauseLabel.MODEL);
      }
    }

    static List<Case> cases() {
      return List.of(
          new Case(
              "migration: cache or batching, never model",
              seed -> Scenario.migration(seed, Duration.ofHours(20), Duration.ofHours(42)),
              run -> {
                List<Said> clip = Case.alerts(run, "clip");
                return !clip.isEmpty()
                    && clip.stream()
                        .allMatch(
                            one ->
                                one.cause() == CauseLabel.CACHE
                                    || one.cause() == CauseLabel.BATCHING)
                    && Case.neverModel(run);
              }),
          onImages(
              "joined midway: batching",
              FaultLibrary.joinedMidwayLosesClip(YOUNG, 0.02),
              run -> Case.first(run, CauseLabel.BATCHING)),
          onImages(
              "steps stall: scheduling",
              FaultLibrary.stepsStall(YOUNG, 0.03, 1),
              run -> Case.first(run, CauseLabel.SCHEDULING)),
          new Case(
              "load evicts: cache, load contributing",
              seed ->
                  Scenario.of(
                      SimulatorSettings.image(seed, LENGTH)
                          .steady()
                          .withLoad(3, 3)
                          .withCache(2048L << 20, 350L << 20),
                      FaultLibrary.loadEvicts(YOUNG, 2, 0.1)),
              run ->
                  Case.alerts(run, "clip").stream()
                      .anyMatch(
                          one ->
                              one.cause() == CauseLabel.CACHE
                                  && one.contributing().contains(CauseLabel.LOAD))),
          onText(
              "constraint for all: never model",
              FaultLibrary.constraintIntroduced(YOUNG),
              Case::neverModel),
          onText(
              "constrained share: never model",
              FaultLibrary.constrainedShareChanges(YOUNG, 2),
              Case::neverModel),
          onText(
              "INT4 hurts arithmetic: config_change there",
              FaultLibrary.int4HurtsArithmetic(YOUNG, 0.25),
              run ->
                  Case.alerts(run, "accuracy").stream()
                      .findFirst()
                      .filter(
                          one ->
                              one.cause() == CauseLabel.CONFIG_CHANGE
                                  && "arithmetic".equals(one.where().get("prompt_class")))
                      .isPresent()));
    }

    private static Case onImages(String name, Fault fault, Predicate<JudgedScenario> right) {
      return new Case(
          name, seed -> Scenario.of(SimulatorSettings.image(seed, LENGTH), fault), right);
    }

    private static Case onText(String name, Fault fault, Predicate<JudgedScenario> right) {
      return new Case(
          name, seed -> Scenario.of(SimulatorSettings.text(seed, LENGTH), fault), right);
    }

    @Override
    public String name() {
      return "special";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      int n = size.of(1, RUNS);
      for (Case one : cases()) {
        List<JudgedScenario> runs =
            size.forSeeds(n, seed -> JudgedScenario.of(one.scenario().apply(seed)));
        table.accept(
            AcceptanceRow.atLeast(
                name(), one.name(), share(name(), one.name(), runs, one.right()), RIGHT, RUNS));
      }
    }
  }

  /** What a deployment sees in a month in which nothing happens, its first week included. */
  record Month() implements AcceptancePart {
    private static final int RUNS = 20;

    @Override
    public String name() {
      return "month";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      int n = size.of(1, RUNS);
      int days = size.full() ? 30 : 8;
      ScenarioScorer scorer = new ScenarioScorer();
      size.forSeeds(n, seed -> quiet(seed, days)).forEach(scorer::add);
      table.accept(
          AcceptanceRow.alarms(
              name(),
              "pages and tickets of one deployment, default budget",
              n,
              scorer.total().falseAlarms(),
              100 * days / 30.0));
    }

    private Observation quiet(long seed, int days) {
      JudgedRun run =
          new JudgedRun(Policy.defaults(), PaneSettings.defaults(), new MetricLayouts());
      ReferenceTraffic traffic = ReferenceTraffic.of(seed, days, Regime.REAL, 20);
      ReferenceEvents.run(traffic, "image-gen", PeerComparison.START, run::accept);
      List<Said> said = JudgedScenario.said(run.finish());
      said.stream()
          .filter(Said::alerts)
          .forEach(one -> System.err.printf("%s: seed %d: %s%n", name(), seed, one));
      return new Observation(
          "month",
          Truth.SILENCE,
          PeerComparison.START,
          PeerComparison.START,
          PeerComparison.START.plus(Duration.ofDays(days)),
          FinishTimes.UNKNOWN,
          said.stream()
              .map(one -> new Outcome(one.detectedAt(), one.metric(), one.cause(), one.alerts()))
              .toList());
    }
  }
}
