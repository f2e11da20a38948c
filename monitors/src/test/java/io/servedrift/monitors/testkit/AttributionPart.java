package io.servedrift.monitors.testkit;

import io.servedrift.monitors.attribution.AccuracyTester;
import io.servedrift.monitors.testkit.JudgedScenario.Said;
import io.servedrift.monitors.testkit.ScenarioScorer.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** How often the cause is right. Stateless. */
final class AttributionPart {
  private static final double RIGHT = 0.91;
  private static final double HARD = 0.86;
  private static final double DECIDED = 0.94;
  private static final double UNDECIDED = 0.90;
  private static final double HARDLY = 0.05;
  private static final int SCENARIOS = 1_000;

  private AttributionPart() {}

  /** By the tables of a reference and a window, no detector before them. */
  record Cubes() implements AcceptancePart {
    private static final long REFERENCES = 90_000;

    @Override
    public String name() {
      return "attribution";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      AccuracyTester.Result result =
          new AccuracyTester(size.seed() + REFERENCES).run(size.seed(), size.of(80, SCENARIOS));
      int n = result.total();
      table.accept(
          AcceptanceRow.atLeast(
              name(), "cause right, from tables", Share.of(result.right(), n), RIGHT, SCENARIOS));
      table.accept(
          AcceptanceRow.atLeast(
              name(),
              "right when decided, from tables",
              Share.of(result.right(), n - result.undecided()),
              DECIDED,
              SCENARIOS));
      table.accept(
          AcceptanceRow.atMost(
              name(),
              "serving called model, from tables",
              Share.of(result.servingCalledUnexplained(), n),
              0,
              SCENARIOS));
    }
  }

  /** On the whole way of the product: what the first page or ticket in a metric of a fault says. */
  record Scenarios() implements AcceptancePart {
    @Override
    public String name() {
      return "scenarios";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      List<JudgedScenario> all = new ArrayList<>();
      int n = size.of(10, SCENARIOS);
      for (boolean hard : new boolean[] {false, true}) {
        String kind = hard ? "hard" : "random";
        List<JudgedScenario> runs =
            size.forSeeds(n, seed -> JudgedScenario.of(RandomScenarios.draw(seed, hard)));
        all.addAll(runs);
        cause(kind, runs, hard ? HARD : RIGHT, table);
      }
      List<JudgedScenario> collinear =
          size.forSeeds(
              size.of(2, SCENARIOS / 10),
              seed -> JudgedScenario.of(RandomScenarios.collinear(seed, false)));
      ScenarioScorer together = new ScenarioScorer();
      collinear.forEach(run -> together.add(run.observation("collinear")));
      table.accept(
          AcceptanceRow.atLeast(
              name(),
              "collinear: inconclusive",
              together.total().causeRight(),
              UNDECIDED,
              SCENARIOS / 10));
      never(all, table);
    }

    private void cause(
        String kind, List<JudgedScenario> runs, double bar, Consumer<AcceptanceRow> table) {
      ScenarioScorer scorer = new ScenarioScorer();
      long undecided = 0;
      for (JudgedScenario run : runs) {
        if (!run.scenario().truth().alerts()) {
          continue;
        }
        Observation observation = run.observation(run.scenario().name());
        scorer.add(observation);
        ScenarioScorer one = new ScenarioScorer();
        one.add(observation);
        ScenarioScorer.Row row = one.total();
        undecided += row.detected().hits() > 0 && row.rightWhenDecided().n() == 0 ? 1 : 0;
        if (row.causeRight().hits() == 0) {
          System.err.printf(
              "%s: %s, %s, seed %d, onset %s: %s%n",
              name(),
              kind,
              run.scenario().name(),
              run.scenario().settings().seed(),
              run.scenario().onset(),
              run.said());
        }
      }
      ScenarioScorer.Row row = scorer.total();
      table.accept(AcceptanceRow.shown(name(), kind + ": found", row.detected()));
      table.accept(
          AcceptanceRow.atLeast(name(), kind + ": cause right", row.causeRight(), bar, SCENARIOS));
      table.accept(
          AcceptanceRow.atLeast(
              name(), kind + ": right when decided", row.rightWhenDecided(), DECIDED, SCENARIOS));
      table.accept(
          AcceptanceRow.atMost(
              name(),
              kind + ": inconclusive",
              Share.of(undecided, row.detected().hits()),
              HARDLY,
              SCENARIOS));
      table.accept(
          AcceptanceRow.shown(
              name(), kind + ": silent before the change", row.falseAlarms().silent()));
    }

    /** What must not be said in any of them, by any page, ticket or record. */
    private void never(List<JudgedScenario> runs, Consumer<AcceptanceRow> table) {
      table.accept(
          never(
              "serving called model",
              runs,
              run -> run.scenario().truth().cause().isServing(),
              said -> said.cause() == CauseLabel.MODEL));
      table.accept(
          never(
              "scorer change called serving",
              runs,
              run -> run.scenario().truth().cause() == CauseLabel.SCORER_CHANGE,
              said -> said.cause().isServing() && said.metric().equals("clip")));
      table.accept(
          never(
              "mix change called serving",
              runs,
              run -> run.scenario().truth().cause() == CauseLabel.TRAFFIC_MIX,
              said -> said.cause().isServing() && said.alerts()));
    }

    private AcceptanceRow never(
        String what,
        List<JudgedScenario> runs,
        Predicate<JudgedScenario> among,
        Predicate<Said> forbidden) {
      List<JudgedScenario> of = runs.stream().filter(among).toList();
      long bad = 0;
      for (JudgedScenario run : of) {
        List<Said> wrong = run.sinceOnset().stream().filter(forbidden).toList();
        if (!wrong.isEmpty()) {
          bad++;
          System.err.printf(
              "%s: %s, seed %d, onset %s: %s%n",
              name(), what, run.scenario().settings().seed(), run.scenario().onset(), wrong);
        }
      }
      return AcceptanceRow.atMost(name(), what, Share.of(bad, of.size()), 0, SCENARIOS);
    }
  }
}
