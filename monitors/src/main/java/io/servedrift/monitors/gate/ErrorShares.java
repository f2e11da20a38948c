package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.ProportionDifference;
import io.servedrift.monitors.stats.ProportionInterval;
import io.servedrift.monitors.stats.SampleSize;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Share of errors and timeouts: judged before anything else, as an endpoint that does not answer
 * has no quality. Requests that the gate gave up count neither way. Answers after the flip belong
 * to the rollback.
 *
 * @param newSide of all arms of the new side
 * @param oldSide of all arms of the old side
 * @param newFails whether the new side, or an arm or a load level of it, clearly fails too often
 * @param oldFails whether the old side does
 * @param shown difference of both, and each arm and load level; one that is clearly beyond fails
 */
record ErrorShares(
    Measure newSide, Measure oldSide, boolean newFails, boolean oldFails, List<Measure> shown) {
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
    Set<Side> failing = EnumSet.noneOf(Side.class);
    for (Arm arm : gate.answers().arms()) {
      if (arm.regime() == Regime.AFTER_FLIP) {
        continue;
      }
      for (Map.Entry<String, List<Answer>> part : parts(arm, ended(gate.answers().of(arm)))) {
        Measure m = share(gate.policy(), part.getKey(), part.getValue());
        boolean fails = m.state() == MeasureState.FAIL;
        shown.add(fails ? m : Verdicts.reported(m));
        if (fails) {
          failing.add(arm.side());
        }
      }
    }
    Measure ofNew = share(gate.policy(), "new, all arms", newer);
    Measure ofOld = share(gate.policy(), "old, all arms", older);
    return new ErrorShares(
        ofNew,
        ofOld,
        failing.contains(Side.NEW) || ofNew.state() == MeasureState.FAIL,
        failing.contains(Side.OLD) || ofOld.state() == MeasureState.FAIL,
        shown);
  }

  /** An arm as a whole and, of several, each load level: a level must not hide in the others. */
  private static List<Map.Entry<String, List<Answer>>> parts(Arm arm, List<Answer> ended) {
    List<Map.Entry<String, List<Answer>>> parts = new ArrayList<>();
    if (!ended.isEmpty()) {
      parts.add(Map.entry(arm.label(), ended));
    }
    SortedMap<Double, List<Answer>> levels = new TreeMap<>();
    for (Answer answer : ended) {
      Double load = answer.load();
      if (load != null) {
        levels.computeIfAbsent(load, l -> new ArrayList<>()).add(answer);
      }
    }
    if (levels.size() > 1) {
      levels.forEach(
          (load, answers) ->
              parts.add(
                  Map.entry(
                      arm.label() + ", load " + String.format(Locale.ROOT, "%.3g", load),
                      answers)));
    }
    return parts;
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
