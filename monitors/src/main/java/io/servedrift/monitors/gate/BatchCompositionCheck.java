package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Do outputs of the new side depend on which requests share the batch: production composition
 * against batch 1, on its own and against what the old side shows.
 */
final class BatchCompositionCheck {
  private static final CheckName NAME = CheckName.BATCH_COMPOSITION;

  private BatchCompositionCheck() {}

  static CheckResult judge(GateCase gate, ScoreGaps scores, OutputGaps outputs) {
    if (!gate.profile(Side.NEW).batches()) {
      return Verdicts.notApplicable(
          NAME,
          "the new endpoint is a single-request pipeline: there is no production batch; its"
              + " production arm ran at production concurrency");
    }
    if (onlyBatchOne(gate)) {
      return Verdicts.insufficient(
          NAME, "no batch of two or more was seen in the production arm of the new side");
    }
    ArmPair newer = ArmPair.within(Side.NEW, Regime.SINGLE, Regime.PRODUCTION);
    ArmPair older = ArmPair.within(Side.OLD, Regime.SINGLE, Regime.PRODUCTION);
    List<Measure> required = new ArrayList<>(scores.all(newer));
    required.addAll(scores.differenceInDifferences(Regime.SINGLE, Regime.PRODUCTION));
    List<Measure> strata = new ArrayList<>();
    strata.addAll(scores.strata(newer, a -> classOf(newer, a)));
    strata.addAll(scores.strata(newer, a -> batchOf(newer, a)));
    strata.stream().filter(m -> m.state() == MeasureState.FAIL).forEach(required::add);
    strata.removeIf(m -> m.state() == MeasureState.FAIL);
    List<Measure> shown = new ArrayList<>();
    scores.all(older).stream().map(Verdicts::reported).forEach(shown::add);
    shown.addAll(strata);
    OutputParity.of(
            gate,
            outputs,
            newer,
            ArmPair.within(Side.NEW, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN))
        .add(required, shown);
    return Verdicts.check(
        NAME,
        required,
        shown,
        "scores and outputs at production composition are those of batch 1 within the margins"
            + batches(gate));
  }

  private static String batches(GateCase gate) {
    boolean told =
        gate.answers().good(Arm.fresh(Regime.PRODUCTION)).stream()
            .anyMatch(a -> a.served().batchSize() != null);
    return told ? "" : "; the endpoint does not tell its batch sizes";
  }

  private static boolean onlyBatchOne(GateCase gate) {
    List<Double> sizes =
        gate.answers().good(Arm.fresh(Regime.PRODUCTION)).stream()
            .map(a -> a.served().batchSize())
            .filter(Objects::nonNull)
            .toList();
    return !sizes.isEmpty() && sizes.stream().allMatch(s -> s <= 1);
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
