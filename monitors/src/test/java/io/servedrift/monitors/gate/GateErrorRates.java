package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.ProportionInterval;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * How often the gate is wrong: runs are simulated with a known truth, at the margin of a check and
 * without any difference, and judged as real ones are. Prints the table of monitors/README.md.
 */
public final class GateErrorRates {
  /** What is true of the simulated sides. */
  enum Truth {
    /** The difference is exactly the margin: to pass is wrong in more than alpha of the runs. */
    AT_THE_MARGIN("at the margin"),
    /** Both sides are alike: to fail is wrong. */
    ALIKE("alike"),
    /** The difference is twice the margin: it should fail. */
    TWICE_THE_MARGIN("twice the margin");

    private final String label;

    Truth(String label) {
      this.label = label;
    }
  }

  /**
   * One row of the table.
   *
   * @param what the check and the quantity
   * @param size pairs or requests
   * @param policy judged by
   * @param set makes the truth
   * @param read the state that is counted
   */
  record Row(
      String what,
      Truth truth,
      String size,
      GatePolicy policy,
      Consumer<SimulatedRun> set,
      Function<GateResult, CheckState> read) {}

  /** How often a row passed and failed. */
  record Rates(long passed, long failed, long runs) {
    String text(long count) {
      Interval interval = ProportionInterval.clopperPearson(count, runs, 0.95);
      return String.format(
          Locale.ROOT,
          "%.3f (%.3f-%.3f)",
          (double) count / runs,
          interval.lower(),
          interval.upper());
    }
  }

  private static final String LOAD = "load: {levels: 1, warm_up: 0s}\n";

  private GateErrorRates() {}

  /**
   * Prints the table; the first argument is the number of runs per row, a fifth for whole gates.
   */
  public static void main(String[] args) {
    int runs = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    System.out.println("| check | truth | size | passes | fails |");
    System.out.println("|---|---|---|---|---|");
    for (Row row : rows()) {
      Rates rates = simulate(row, row.what().startsWith("the whole") ? runs / 5 : runs, 1);
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %s | %s | %s |%n",
          row.what(),
          row.truth().label,
          row.size(),
          rates.text(rates.passed()),
          rates.text(rates.failed()));
    }
  }

  static Rates simulate(Row row, int runs, long firstSeed) {
    long passed = 0;
    long failed = 0;
    for (int i = 0; i < runs; i++) {
      SimulatedRun run = new SimulatedRun(firstSeed + i);
      row.set().accept(run);
      CheckState state = row.read().apply(GateJudge.judge(run.evidence(), row.policy()));
      passed += state == CheckState.PASS ? 1 : 0;
      failed += state == CheckState.FAIL ? 1 : 0;
    }
    return new Rates(passed, failed, runs);
  }

  static List<Row> rows() {
    GatePolicy clip = GatePolicy.parse(LOAD + "scores: {clip: {margin: 0.003}}", "simulation");
    GatePolicy plain = GatePolicy.parse(LOAD, "simulation");
    return List.of(
        drift(clip, Truth.ALIKE, 0),
        drift(clip, Truth.AT_THE_MARGIN, -0.003),
        drift(clip, Truth.TWICE_THE_MARGIN, -0.006),
        json(plain, Truth.ALIKE, 0.005, 0.005),
        json(plain, Truth.AT_THE_MARGIN, 0.0075, 0.0025),
        json(plain, Truth.TWICE_THE_MARGIN, 0.0125, 0.0025),
        tail(plain, Truth.ALIKE, 1, 0),
        tail(plain, Truth.AT_THE_MARGIN, 1.1, 0),
        tail(plain, Truth.TWICE_THE_MARGIN, 1.2, 0),
        tail(plain, Truth.ALIKE, 1, 0.05),
        tail(plain, Truth.AT_THE_MARGIN, 1.1, 0.05),
        distance(plain, Truth.ALIKE, 1),
        distance(plain, Truth.AT_THE_MARGIN, 1.25),
        distance(plain, Truth.TWICE_THE_MARGIN, 1.5),
        batch(clip, Truth.ALIKE, 0),
        batch(clip, Truth.AT_THE_MARGIN, -0.003),
        batch(clip, Truth.TWICE_THE_MARGIN, -0.006),
        stale(clip, Truth.ALIKE, 0),
        stale(clip, Truth.AT_THE_MARGIN, 0.05),
        stale(clip, Truth.TWICE_THE_MARGIN, 0.1),
        errors(plain, Truth.ALIKE, 0),
        errors(plain, Truth.AT_THE_MARGIN, 0.01),
        errors(plain, Truth.TWICE_THE_MARGIN, 0.02),
        control(clip, Truth.ALIKE, 0),
        control(clip, Truth.AT_THE_MARGIN, -0.003),
        whole(plain));
  }

  private static CheckState state(GateResult result, CheckName name) {
    // The check by itself, whatever the control says: that has rows of its own.
    CheckResult check = result.check(name).orElseThrow();
    return check.why().startsWith("nothing may be concluded") ? recomputed(check) : check.state();
  }

  private static CheckState recomputed(CheckResult check) {
    return Verdicts.all(
        check.measures().stream()
            .map(Measure::state)
            .filter(s -> s != MeasureState.REPORTED)
            .toList());
  }

  /** sd of the paired difference .02, margin .003: the design asks for 481 pairs. */
  private static Row drift(GatePolicy policy, Truth truth, double shift) {
    return new Row(
        "`proxy_drift`, CLIP, sd of the difference .020, margin .003",
        truth,
        "481 pairs",
        policy,
        run -> {
          run.regimes = Set.of(Regime.PRODUCTION);
          run.prompts = 481;
          run.requests = 0;
          run.batchNoise = 0.02 / Math.sqrt(2);
          run.singleShift = shift;
        },
        result -> state(result, CheckName.PROXY_DRIFT));
  }

  private static Row json(GatePolicy policy, Truth truth, double lost, double won) {
    return new Row(
        "`proxy_drift`, `json_valid`, .98 valid, 1 % discordant, margin .005",
        truth,
        "3428 pairs",
        policy,
        run -> {
          run.regimes = Set.of(Regime.PRODUCTION);
          run.prompts = 3428;
          run.requests = 0;
          run.batchNoise = 0.001;
          run.json = 0.98;
          run.jsonLost = lost;
          run.jsonWon = won;
        },
        result -> state(result, CheckName.PROXY_DRIFT));
  }

  private static Row tail(GatePolicy policy, Truth truth, double slower, double blockSd) {
    return new Row(
        "`p99_under_load`, s = .3, margin 10 %" + (blockSd > 0 ? ", blocks differ by 5 %" : ""),
        truth,
        "2958 per arm, 8 blocks",
        policy,
        run -> {
          run.regimes = Set.of(Regime.OPEN_LOOP);
          run.prompts = 5;
          run.requests = 2958;
          run.slower = slower;
          run.blockSd = blockSd;
        },
        result -> state(result, CheckName.P99_UNDER_LOAD));
  }

  private static Row distance(GatePolicy policy, Truth truth, double ratio) {
    return new Row(
        "`seed_parity`, distance to the floor, ratio 1.25",
        truth,
        "300 pairs",
        policy,
        run -> {
          run.regimes =
              Set.of(
                  Regime.SINGLE, Regime.SINGLE_AGAIN, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN);
          run.prompts = 300;
          run.requests = 0;
          run.floorDistance = 0.003;
          run.singleRatio = ratio;
          run.distanceSd = 0.25;
        },
        result -> state(result, CheckName.SEED_PARITY));
  }

  private static Row batch(GatePolicy policy, Truth truth, double shift) {
    return new Row(
        "`batch_composition`, CLIP, sd of the differences .014 and .020, margin .003",
        truth,
        "481 pairs",
        policy,
        run -> {
          run.regimes = Set.of(Regime.SINGLE, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN);
          run.prompts = 481;
          run.requests = 0;
          run.batchNoise = 0.02 / Math.sqrt(2);
          run.batchShift = shift;
        },
        result -> state(result, CheckName.BATCH_COMPOSITION));
  }

  private static Row stale(GatePolicy policy, Truth truth, double share) {
    return new Row(
        "`cache_parity`, share of stale entries, margin 5 %",
        truth,
        "300 pairs",
        policy,
        run -> {
          run.regimes =
              Set.of(Regime.REUSE, Regime.RECOMPUTE, Regime.RECOMPUTE_AGAIN, Regime.PRODUCTION);
          run.prompts = 300;
          run.requests = 0;
          run.staleShare = share;
          run.staleLoss = 0;
        },
        result -> state(result, CheckName.CACHE_PARITY));
  }

  private static Row errors(GatePolicy policy, Truth truth, double share) {
    return new Row(
        "error share, margin 1 %",
        truth,
        "2000 requests",
        policy,
        run -> {
          run.regimes = Set.of(Regime.OPEN_LOOP);
          run.prompts = 0;
          run.requests = 2000;
          run.newErrors = share;
        },
        result -> Verdicts.all(List.of(result.errors().get(0).state())));
  }

  private static Row control(GatePolicy policy, Truth truth, double shift) {
    return new Row(
        "A/A control, CLIP, sd of the difference .020, margin .003",
        truth,
        "481 pairs",
        policy,
        run -> {
          run.regimes =
              Set.of(
                  Regime.SINGLE, Regime.SINGLE_AGAIN, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN);
          run.prompts = 481;
          run.requests = 0;
          run.batchNoise = 0.02 / Math.sqrt(2);
          run.controlShift = shift;
        },
        result -> result.control().state());
  }

  private static Row whole(GatePolicy policy) {
    return new Row(
        "the whole gate, default margins, batching noise .004 in CLIP",
        Truth.ALIKE,
        "300 prompts, 5000 per arm",
        policy,
        run -> {
          // Every arm, as it comes.
        },
        result ->
            switch (result.outcome()) {
              case PASS -> CheckState.PASS;
              case FAIL -> CheckState.FAIL;
              case INSUFFICIENT -> CheckState.INSUFFICIENT;
            });
  }
}
