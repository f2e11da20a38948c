package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.QuantileRatio;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The way back: does the old configuration serve again, and did nobody lose an answer. */
final class RollbackCheck {
  private static final CheckName NAME = CheckName.ROLLBACK;
  private static final double Q = 0.99;
  private static final int LEAST_ANSWERS = 20;

  private RollbackCheck() {}

  static CheckResult judge(GateCase gate) {
    RollbackEvidence evidence = gate.evidence().rollback();
    if (evidence == null || !evidence.attempted()) {
      String why =
          evidence == null || evidence.problems().isEmpty()
              ? "it was not tried"
              : "it was not tried: " + String.join("; ", evidence.problems());
      return Verdicts.insufficient(NAME, why);
    }
    if (evidence.after() == null && evidence.inFlight() == 0 && after(gate).isEmpty()) {
      return Verdicts.insufficient(
          NAME,
          "it did not get to the new side: "
              + (evidence.problems().isEmpty()
                  ? "nothing was recorded"
                  : String.join("; ", evidence.problems())));
    }
    List<Measure> required = new ArrayList<>();
    for (String problem : evidence.problems()) {
      required.add(
          Verdicts.missing("the way back", "problem", problem).as(MeasureState.FAIL, problem));
    }
    required.add(sameConfiguration(evidence.before(), evidence.after()));
    required.add(inFlight(evidence));
    required.add(errors(gate));
    List<Measure> shown = new ArrayList<>();
    Measure p99 = p99(gate);
    if (p99 != null) {
      shown.add(p99);
    }
    return Verdicts.check(
        NAME,
        required,
        shown,
        "the old configuration serves again (" + evidence.how() + ") and no request was lost");
  }

  private static Measure sameConfiguration(
      @Nullable EndpointFacts before, @Nullable EndpointFacts after) {
    String name = "configuration after the way back";
    String of = "old before against after";
    if (after == null) {
      return fact(name, of, 0, MeasureState.FAIL, "nothing answers");
    }
    if (before == null || !before.recorded() || !after.recorded()) {
      return Verdicts.missing(name, of, "a configuration could not be read");
    }
    if (before.modelId() == null || after.modelId() == null) {
      return Verdicts.missing(name, of, "the model could not be read");
    }
    boolean same =
        Objects.equals(before.configId(), after.configId())
            && Objects.equals(before.modelId(), after.modelId());
    return fact(
        name,
        of,
        same ? 1 : 0,
        same ? MeasureState.PASS : MeasureState.FAIL,
        same ? "equal fingerprints" : before.configId() + " became " + after.configId());
  }

  private static Measure fact(
      String name, String of, double value, MeasureState state, String how) {
    return new Measure(name, of, value, null, null, 0.95, 1, 1.0, "equal", state, null, how);
  }

  private static Measure inFlight(RollbackEvidence evidence) {
    String name = "requests in flight that were lost";
    if (evidence.inFlight() == 0) {
      return Verdicts.missing(name, "during the flip", "no request was in flight");
    }
    return new Measure(
        name,
        "during the flip",
        (double) evidence.inFlightLost(),
        null,
        null,
        0.95,
        evidence.inFlight(),
        0.0,
        "requests",
        evidence.inFlightLost() == 0 ? MeasureState.PASS : MeasureState.FAIL,
        null,
        "counted");
  }

  /** Answers after it: clearly too many errors fail, none at all is nothing to go by. */
  private static Measure errors(GateCase gate) {
    List<Answer> ended = ErrorShares.ended(after(gate));
    Measure m = ErrorShares.share(gate.policy(), "after the way back", ended);
    if (ended.size() < LEAST_ANSWERS) {
      return m.state() == MeasureState.FAIL
          ? m
          : m.as(MeasureState.INSUFFICIENT, m.test() + "; fewer than " + LEAST_ANSWERS + " answers")
              .needing(LEAST_ANSWERS);
    }
    // A dry run is short: without any error it need not prove the share of the policy.
    return ErrorShares.errors(ended) == 0 && m.state() == MeasureState.INSUFFICIENT
        ? m.as(MeasureState.PASS, m.test() + "; no error")
        : m;
  }

  private static List<Answer> after(GateCase gate) {
    List<Answer> all = new ArrayList<>(gate.answers().of(Arm.old(Regime.AFTER_FLIP)));
    all.addAll(gate.answers().of(Arm.fresh(Regime.AFTER_FLIP)));
    return all;
  }

  /** p99 after the way back against old at fixed concurrency: one stretch, so it only is shown. */
  private static @Nullable Measure p99(GateCase gate) {
    double[] after = Latencies.of(after(gate), null, 0).answered();
    double[] before =
        Latencies.of(gate.answers().of(Arm.old(Regime.FIXED_CONCURRENCY)), null, 0).answered();
    if (after.length == 0 || before.length == 0) {
      return null;
    }
    QuantileRatio ratio = QuantileRatio.of(after, before, Q, 1, 1);
    Interval interval = ratio.interval(gate.policy().level());
    double bound = 1 + gate.policy().load().margin();
    return new Measure(
        "p99 after the way back",
        "against old at fixed concurrency",
        ratio.ratio(),
        Verdicts.limit(ratio, interval.lower()),
        Verdicts.limit(ratio, interval.upper()),
        gate.policy().level(),
        after.length,
        bound,
        "ratio",
        MeasureState.REPORTED,
        null,
        "order statistics, on the logarithm");
  }
}
