package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.ProportionInterval;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Do outputs of the new side depend on which requests share the batch: production composition
 * against batch 1, on its own and against what the old side shows.
 */
final class BatchCompositionCheck {
  private static final CheckName NAME = CheckName.BATCH_COMPOSITION;

  private BatchCompositionCheck() {}

  static CheckResult judge(GateCase all) {
    if (!all.profile(Side.NEW).batches()) {
      return Verdicts.notApplicable(
          NAME,
          "the new endpoint is a single-request pipeline: there is no production batch; its"
              + " production arm ran at production concurrency");
    }
    boolean told = told(all);
    GateCase gate = all.keeping(answer -> !production(answer) || shared(answer, told));
    if (gate.answers().good(Arm.fresh(Regime.PRODUCTION)).isEmpty()) {
      return Verdicts.insufficient(
          NAME,
          told
              ? "no batch of two or more was seen in the production arm of the new side"
              : "the endpoint does not tell its batch sizes, and no two requests were in flight");
    }
    for (Side side : Side.values()) {
      String unclean = gate.notClean(new Arm(side, Regime.SINGLE));
      if (unclean != null) {
        return Verdicts.insufficient(NAME, unclean);
      }
    }
    List<Measure> required = new ArrayList<>();
    List<Measure> shown = new ArrayList<>();
    scores(gate, required, shown);
    outputs(gate, required, shown);
    shown.add(sharedShare(all, told));
    return Verdicts.check(
        NAME,
        required,
        shown,
        "scores and outputs at production composition are those of batch 1 within the margins"
            + (told ? "" : "; that it batches is declared, the endpoint does not tell"));
  }

  private static void scores(GateCase gate, List<Measure> required, List<Measure> shown) {
    ScoreGaps scores = new ScoreGaps(gate);
    ArmPair newer = ArmPair.within(Side.NEW, Regime.SINGLE, Regime.PRODUCTION);
    ArmPair older = ArmPair.within(Side.OLD, Regime.SINGLE, Regime.PRODUCTION);
    List<Measure> own = scores.all(newer);
    List<Measure> both = scores.differenceInDifferences(Regime.SINGLE, Regime.PRODUCTION);
    if (gate.repeatable()) {
      required.addAll(own);
      Map<String, MeasureState> states = new HashMap<>();
      own.forEach(m -> states.put(m.name(), m.state()));
      // Where the new side is shown to be as it is at batch 1, it is the old side that moves.
      for (Measure m : both) {
        if (m.state() == MeasureState.FAIL && states.get(m.name()) == MeasureState.PASS) {
          shown.add(Verdicts.reported(m));
        } else {
          required.add(m);
        }
      }
      List<Measure> strata = new ArrayList<>();
      strata.addAll(scores.strata(newer, a -> classOf(newer, a)));
      strata.addAll(scores.strata(newer, a -> batchOf(newer, a)));
      strata.forEach(m -> (m.state() == MeasureState.FAIL ? required : shown).add(m));
    } else {
      // Production is sampled and batch 1 is not: only what both sides do not share counts.
      required.addAll(
          both.isEmpty()
              ? List.of(Verdicts.missing("scores", newer.label(), "no answer has a score"))
              : both);
      own.stream().map(Verdicts::reported).forEach(shown::add);
    }
    scores.all(older).stream().map(Verdicts::reported).forEach(shown::add);
  }

  /** Against the noise of the old side: that of the new one may be what is looked for. */
  private static void outputs(GateCase gate, List<Measure> required, List<Measure> shown) {
    OutputGaps outputs = new OutputGaps(gate);
    ArmPair floor = ArmPair.within(Side.OLD, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN);
    for (ArmPair pair :
        List.of(
            ArmPair.within(Side.NEW, Regime.SINGLE, Regime.PRODUCTION),
            ArmPair.within(Side.NEW, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN))) {
      OutputParity.of(gate, outputs, pair, floor, gate.repeatable()).add(required, shown);
    }
  }

  private static boolean production(Answer answer) {
    Regime regime = answer.arm().regime();
    return answer.arm().side() == Side.NEW
        && (regime == Regime.PRODUCTION || regime == Regime.PRODUCTION_AGAIN);
  }

  /** Whether an answer was made in company; of an endpoint that does not tell, whether it could. */
  private static boolean shared(Answer answer, boolean told) {
    if (!answer.ok()) {
      return true;
    }
    Double size = answer.served().batchSize();
    Integer inFlight = answer.served().inFlight();
    return told ? size != null && size >= 2 : inFlight != null && inFlight >= 2;
  }

  private static boolean told(GateCase gate) {
    return gate.answers().good(Arm.fresh(Regime.PRODUCTION)).stream()
        .anyMatch(a -> a.served().batchSize() != null);
  }

  /** Answers that were alone are left out of the comparison; how many were not is shown. */
  private static Measure sharedShare(GateCase gate, boolean told) {
    List<Answer> all = gate.answers().good(Arm.fresh(Regime.PRODUCTION));
    long number = all.stream().filter(a -> shared(a, told)).count();
    Interval interval =
        ProportionInterval.clopperPearson(number, all.size(), gate.policy().level());
    return new Measure(
        told ? "answers in a batch of two or more" : "answers with another one in flight",
        Arm.fresh(Regime.PRODUCTION).label(),
        (double) number / all.size(),
        interval.lower(),
        interval.upper(),
        gate.policy().level(),
        all.size(),
        null,
        "share",
        MeasureState.REPORTED,
        null,
        "Clopper-Pearson");
  }

  static @Nullable String classOf(ArmPair pair, Answer answer) {
    String name = answer.prompt().promptClass();
    return name == null ? null : pair.label() + ", prompt class " + name;
  }

  static @Nullable String batchOf(ArmPair pair, Answer answer) {
    Double size = answer.served().batchSize();
    return size == null
        ? null
        : pair.label() + ", batch " + RegimeCell.of(size, null, null).batch();
  }
}
