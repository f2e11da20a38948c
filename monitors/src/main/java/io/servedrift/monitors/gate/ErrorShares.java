package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.ProportionDifference;
import io.servedrift.monitors.stats.ProportionInterval;
import io.servedrift.monitors.stats.SampleSize;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Share of errors and timeouts: judged before anything else, as an endpoint that does not answer
 * has no quality. Requests that the gate gave up count neither way. Answers after the flip belong
 * to the rollback.
 *
 * @param newSide of all arms of the new side
 * @param oldSide of all arms of the old side
 * @param shown difference of both, and each arm; an arm that is clearly beyond fails
 */
record ErrorShares(Measure newSide, Measure oldSide, List<Measure> shown) {
  ErrorShares {
    shown = List.copyOf(shown);
  }

  static ErrorShares of(GateCase gate) {
    List<Answer> newer = ended(gate, Side.NEW);
    List<Answer> older = ended(gate, Side.OLD);
    List<Measure> shown = new ArrayList<>();
    if (!newer.isEmpty() && !older.isEmpty()) {
      shown.add(difference(gate, newer, older));
    }
    for (Arm arm : gate.answers().arms()) {
      List<Answer> answers = ended(gate.answers().of(arm));
      if (arm.regime() != Regime.AFTER_FLIP && !answers.isEmpty()) {
        Measure m = share(gate.policy(), arm.label(), answers);
        shown.add(m.state() == MeasureState.FAIL ? m : Verdicts.reported(m));
      }
    }
    return new ErrorShares(
        share(gate.policy(), "new, all arms", newer),
        share(gate.policy(), "old, all arms", older),
        shown);
  }

  /** Whether the new side, or one of its arms, fails clearly too often. */
  boolean newFails() {
    return newSide.state() == MeasureState.FAIL
        || shown.stream()
            .anyMatch(m -> m.state() == MeasureState.FAIL && m.of().startsWith("new/"));
  }

  /** Whether the old side does. */
  boolean oldFails() {
    return oldSide.state() == MeasureState.FAIL
        || shown.stream()
            .anyMatch(m -> m.state() == MeasureState.FAIL && m.of().startsWith("old/"));
  }

  List<Measure> all() {
    return Stream.of(List.of(newSide, oldSide), shown).flatMap(Collection::stream).toList();
  }

  private static Measure difference(GateCase gate, List<Answer> newer, List<Answer> older) {
    double level = gate.policy().level();
    Interval interval =
        ProportionDifference.newcombe(
            errors(newer), newer.size(), errors(older), older.size(), level);
    return new Measure(
        "error share: difference",
        "new against old, all arms",
        (double) errors(newer) / newer.size() - (double) errors(older) / older.size(),
        interval.lower(),
        interval.upper(),
        level,
        newer.size(),
        null,
        "share",
        MeasureState.REPORTED,
        null,
        "Newcombe");
  }

  /** The share of errors among answers that ended, held against the largest one allowed. */
  static Measure share(GatePolicy policy, String of, List<Answer> ended) {
    if (ended.isEmpty()) {
      return Verdicts.missing("error share", of, "no request ended");
    }
    long errors = errors(ended);
    Interval interval = ProportionInterval.clopperPearson(errors, ended.size(), policy.level());
    MeasureState state =
        Verdicts.atMost(interval.lower(), interval.upper(), policy.maxErrorShare());
    return new Measure(
        "error share",
        of,
        (double) errors / ended.size(),
        interval.lower(),
        interval.upper(),
        policy.level(),
        ended.size(),
        policy.maxErrorShare(),
        "share",
        state,
        state == MeasureState.INSUFFICIENT ? needed(policy, errors, ended.size()) : null,
        "Clopper-Pearson");
  }

  private static long needed(GatePolicy policy, long errors, int n) {
    long requests = SampleSize.share(1 - policy.maxErrorShare(), errors, 1 - policy.alpha());
    return Math.max(n + 1L, requests);
  }

  static List<Answer> ended(List<Answer> answers) {
    return answers.stream().filter(a -> a.status() != AnswerStatus.CANCELLED).toList();
  }

  static long errors(List<Answer> ended) {
    return ended.stream().filter(a -> !a.ok()).count();
  }

  private static List<Answer> ended(GateCase gate, Side side) {
    return gate.answers().arms().stream()
        .filter(arm -> arm.side() == side && arm.regime() != Regime.AFTER_FLIP)
        .flatMap(arm -> ended(gate.answers().of(arm)).stream())
        .toList();
  }
}
