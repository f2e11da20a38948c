package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Judges what a run of the gate recorded. In this order: the share of errors, what must be known
 * about both sides, the old side against itself, the checks, what they say together. A check passes
 * when each of its required tests does (intersection-union, so no correction for their number),
 * fails when an interval lies wholly beyond its margin, and is insufficient otherwise. Pure
 * function of its arguments; the order of answers and distances does not matter.
 */
public final class GateJudge {
  private GateJudge() {}

  /** Judges, never fails: what is missing makes parts insufficient. */
  public static GateResult judge(Evidence evidence, GatePolicy policy) {
    GateCase gate = GateCase.of(evidence, policy);
    ScoreGaps scores = new ScoreGaps(gate);
    OutputGaps outputs = new OutputGaps(gate);
    ErrorShares errors = ErrorShares.of(gate);
    List<String> unrecorded = unrecorded(evidence);
    List<String> problems = new ArrayList<>(unrecorded);
    problems.addAll(incomplete(evidence));
    AaControl control = control(ControlCheck.judge(gate, scores, outputs), errors);
    String blocking = blocking(control, evidence);
    List<CheckResult> checks = checks(gate, scores, outputs, blocking);
    ChangedAxes changed = Changes.of(evidence.oldBefore(), evidence.newBefore());
    DecidingSentence deciding =
        Deciding.of(gate, scores, changed, unsayable(blocking, problems, errors), checks);
    boolean failed = errors.newFails() || !unrecorded.isEmpty();
    GateOutcome outcome = outcome(failed, errors, problems, control, checks);
    ArmTable arms = new ArmTable(gate);
    return new GateResult(
        outcome,
        why(outcome, errors, problems, control, checks),
        evidence.modality(),
        evidence.oldBefore(),
        evidence.newBefore(),
        evidence.settings(),
        policy.hash(),
        problems,
        errors.all(),
        control,
        checks,
        deciding,
        outcome == GateOutcome.PASS ? QualityBar.of(gate, changed.weights()) : null,
        Coverage.of(gate),
        arms.costs(),
        arms.tails(),
        changed,
        evidence.readiness());
  }

  /** A configuration that cannot be recorded fails the gate: nobody could say what was tested. */
  private static List<String> unrecorded(Evidence evidence) {
    List<String> problems = new ArrayList<>();
    for (Side side : Side.values()) {
      EndpointFacts facts = evidence.before(side);
      if (!facts.recorded()) {
        String reason =
            facts.problems().isEmpty() ? "" : ": " + String.join("; ", facts.problems());
        problems.add(
            "the configuration of the " + side.label() + " side could not be recorded" + reason);
      }
    }
    return problems;
  }

  private static List<String> incomplete(Evidence evidence) {
    List<String> problems = new ArrayList<>();
    for (Side side : Side.values()) {
      EndpointFacts before = evidence.before(side);
      EndpointFacts after = evidence.after(side);
      if (before.profile().modality() != evidence.modality()) {
        problems.add("the " + side.label() + " side does not make " + evidence.modality());
      }
      if (after == null) {
        problems.add(
            "the run did not end: the " + side.label() + " side was not read again after it");
      } else if (changed(before, after)) {
        problems.add(changedSentence(side, before, after));
      }
    }
    return problems;
  }

  private static boolean changed(EndpointFacts before, EndpointFacts after) {
    return !Objects.equals(before.configId(), after.configId())
        || !Objects.equals(before.modelId(), after.modelId());
  }

  private static String changedSentence(Side side, EndpointFacts before, EndpointFacts after) {
    return "the "
        + side.label()
        + " side changed during the run: configuration "
        + before.configId()
        + " to "
        + after.configId()
        + ", model "
        + before.modelId()
        + " to "
        + after.modelId();
  }

  /** An old side that fails too often controls nothing. */
  private static AaControl control(AaControl control, ErrorShares errors) {
    return errors.oldFails()
        ? new AaControl(
            CheckState.INSUFFICIENT,
            "the old side answers with too many errors to be compared with",
            control.measures())
        : control;
  }

  /** Why nothing may be concluded from comparing the sides; null when something may. */
  private static @Nullable String blocking(AaControl control, Evidence evidence) {
    if (control.state() != CheckState.PASS) {
      return "nothing may be concluded: " + control.why();
    }
    for (Side side : Side.values()) {
      EndpointFacts after = evidence.after(side);
      if (after != null && changed(evidence.before(side), after)) {
        return "nothing may be concluded: " + changedSentence(side, evidence.before(side), after);
      }
    }
    return null;
  }

  /** Why no sentence may be said: what it would rest on is missing, or is a choice of survivors. */
  private static @Nullable String unsayable(
      @Nullable String blocking, List<String> problems, ErrorShares errors) {
    if (blocking != null) {
      return blocking;
    }
    if (!problems.isEmpty()) {
      return String.join("; ", problems);
    }
    return errors.newFails()
        ? "the new side answers with too many errors: what is left of its answers is a choice"
        : null;
  }

  private static List<CheckResult> checks(
      GateCase gate, ScoreGaps scores, OutputGaps outputs, @Nullable String blocking) {
    List<CheckResult> compared =
        List.of(
            SeedParity.judge(gate, outputs),
            BatchCompositionCheck.judge(gate),
            CacheParity.judge(gate, scores, outputs),
            LatencyUnderLoad.judge(gate),
            ProxyDrift.judge(gate, scores));
    List<CheckResult> checks = new ArrayList<>();
    for (CheckResult check : compared) {
      checks.add(blocking == null ? check : withheld(check, blocking));
    }
    // The way back compares the old side with itself; it needs no control.
    checks.add(RollbackCheck.judge(gate));
    return checks;
  }

  private static CheckResult withheld(CheckResult check, String why) {
    return check.state() == CheckState.PASS || check.state() == CheckState.FAIL
        ? new CheckResult(
            check.name(), CheckState.INSUFFICIENT, why, check.measures(), check.needed())
        : check;
  }

  private static GateOutcome outcome(
      boolean failed,
      ErrorShares errors,
      List<String> problems,
      AaControl control,
      List<CheckResult> checks) {
    if (failed || checks.stream().anyMatch(c -> c.state() == CheckState.FAIL)) {
      return GateOutcome.FAIL;
    }
    boolean passed =
        checks.stream()
            .allMatch(
                c ->
                    c.state() == CheckState.PASS
                        || (c.state() == CheckState.NOT_APPLICABLE && !c.name().indispensable()));
    boolean sound =
        problems.isEmpty()
            && control.state() == CheckState.PASS
            && errors.newSide().state() == MeasureState.PASS
            && !errors.oldFails();
    return passed && sound ? GateOutcome.PASS : GateOutcome.INSUFFICIENT;
  }

  private static String why(
      GateOutcome outcome,
      ErrorShares errors,
      List<String> problems,
      AaControl control,
      List<CheckResult> checks) {
    if (outcome == GateOutcome.PASS) {
      return "every check passes or does not apply";
    }
    List<String> reasons = new ArrayList<>();
    if (errors.newFails()) {
      reasons.add("the new side answers with too many errors");
    }
    reasons.addAll(problems);
    if (outcome == GateOutcome.INSUFFICIENT) {
      if (errors.newSide().state() == MeasureState.INSUFFICIENT) {
        reasons.add("too few requests to show that errors are rare");
      }
      if (control.state() != CheckState.PASS) {
        reasons.add(control.why());
      }
    }
    CheckState wanted = outcome == GateOutcome.FAIL ? CheckState.FAIL : CheckState.INSUFFICIENT;
    checks.stream()
        .filter(c -> c.state() == wanted)
        .map(c -> c.name().label() + " " + c.state().label())
        .forEach(reasons::add);
    return String.join("; ", reasons);
  }
}
