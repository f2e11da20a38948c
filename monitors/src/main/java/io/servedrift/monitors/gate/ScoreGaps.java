package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.EBenjaminiHochberg;
import io.servedrift.monitors.stats.EMerge;
import io.servedrift.monitors.stats.Moments;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Differences of scores between arms, whole and in strata, each held against its margin. */
final class ScoreGaps {
  /** A spread below this is rounding. */
  private static final double SAME = 1e-12;

  private final GateCase gate;
  private final ScoreTest test;

  ScoreGaps(GateCase gate) {
    this.gate = gate;
    this.test = new ScoreTest(gate.policy());
  }

  /** Scores that any answer of these regimes has. */
  SortedSet<String> names(Regime... regimes) {
    return gate.answers().scoreNames(regimes);
  }

  /** The mean difference right - left of every score; one that says so when there is no score. */
  List<Measure> all(ArmPair pair) {
    return all(pair, false);
  }

  /** The same with both directions counting: a side against itself. */
  List<Measure> bothWays(ArmPair pair) {
    return all(pair, true);
  }

  private List<Measure> all(ArmPair pair, boolean bothWays) {
    SortedSet<String> names = names(pair.left().regime(), pair.right().regime());
    if (names.isEmpty()) {
      return List.of(Verdicts.missing("scores", pair.label(), "no answer has a score"));
    }
    return names.stream().map(name -> one(name, pair, bothWays)).toList();
  }

  private Measure one(String score, ArmPair pair, boolean bothWays) {
    ScoreRule own = gate.policy().score(score);
    ScoreRule rule =
        bothWays
            ? new ScoreRule(
                own.ratio(),
                ScoreRule.Worse.BOTH,
                own.margin(),
                own.marginSd(),
                own.stratumMargin(),
                own.stratumMarginSd(),
                own.bar())
            : own;
    String name = score + ": mean difference";
    SortedSet<String> scorers = new TreeSet<>(gate.answers().scorers(pair.left(), score));
    scorers.addAll(gate.answers().scorers(pair.right(), score));
    if (scorers.size() > 1) {
      return Verdicts.missing(
          name, pair.label(), "scored by different scorers: " + String.join(", ", scorers));
    }
    String blind = blind(score, own);
    if (blind != null) {
      return Verdicts.missing(name, pair.label(), blind);
    }
    String oneSided = oneSided(score, pair);
    if (oneSided != null) {
      return Verdicts.missing(name, pair.label(), oneSided);
    }
    Double margin = margin(score, rule.margin(), rule.marginSd());
    return margin == null
        ? Verdicts.missing(name, pair.label(), "no margin: old production has no such score")
        : test.judge(score, pair.label(), Numbers.array(differences(score, pair)), margin, rule);
  }

  /**
   * Says so when many pairs have the score on one side only, for want of a score or of an answer:
   * what cannot be scored is seldom what is good. Null when hardly any has.
   */
  private @Nullable String oneSided(String score, ArmPair pair) {
    Set<Answers.Key> both = gate.answers().asked(pair.left());
    both.retainAll(gate.answers().asked(pair.right()));
    Set<Answers.Key> left = new HashSet<>(gate.answers().scores(pair.left(), score).keySet());
    Set<Answers.Key> right = new HashSet<>(gate.answers().scores(pair.right(), score).keySet());
    left.retainAll(both);
    right.retainAll(both);
    Set<Answers.Key> either = new HashSet<>(left);
    either.addAll(right);
    long missing = 2L * either.size() - left.size() - right.size();
    return missing > gate.policy().maxErrorShare() * either.size()
        ? missing + " of " + either.size() + " pairs have the score on one side only"
        : null;
  }

  /**
   * Why a score cannot show a loss; null when it can. A score that is the same for every prompt of
   * old production sees nothing, and a ratio that is at its worst there already has nothing to
   * lose.
   */
  private @Nullable String blind(String score, ScoreRule rule) {
    Moments moments =
        Numbers.moments(Numbers.array(gate.answers().scores(Arm.old(Regime.PRODUCTION), score)));
    if (moments.n() < 2 || Numbers.sd(moments) > SAME * Math.max(1, Math.abs(moments.mean()))) {
      return null;
    }
    if (!rule.ratio()) {
      return "the score is the same for every prompt of old production: it sees nothing";
    }
    boolean lost =
        (rule.worse() == ScoreRule.Worse.DOWN && moments.mean() <= 0)
            || (rule.worse() == ScoreRule.Worse.UP && moments.mean() >= 1);
    return lost ? "old production has nothing to lose: every answer is at the worst already" : null;
  }

  /** Difference of differences: (new right - new left) - (old right - old left), by prompt. */
  List<Measure> differenceInDifferences(Regime left, Regime right) {
    ArmPair older = ArmPair.within(Side.OLD, left, right);
    ArmPair newer = ArmPair.within(Side.NEW, left, right);
    String of = newer.label() + ", less the same of old";
    List<Measure> measures = new ArrayList<>();
    for (String score : names(left, right)) {
      ScoreRule rule = gate.policy().score(score);
      Double margin = margin(score, rule.margin(), rule.marginSd());
      if (margin == null) {
        measures.add(Verdicts.missing(score + ": mean difference", of, "no margin"));
        continue;
      }
      String why = blind(score, rule);
      why = why == null ? oneSided(score, newer) : why;
      why = why == null ? oneSided(score, older) : why;
      if (why != null) {
        measures.add(Verdicts.missing(score + ": mean difference", of, why));
        continue;
      }
      SortedMap<Integer, Double> before = differences(score, older);
      SortedMap<Integer, Double> both = new TreeMap<>();
      differences(score, newer)
          .forEach(
              (prompt, value) -> {
                Double other = before.get(prompt);
                if (other != null) {
                  both.put(prompt, value - other);
                }
              });
      measures.add(test.judge(score, of, Numbers.array(both), margin, rule));
    }
    return measures;
  }

  /**
   * Parts of the answers that nobody asked about beforehand: each is shown, and one is called
   * beyond its margin when e-BH over all of them says so (e-values 1 / (2 sqrt(p)) of the test
   * against the margin), so that looking at many parts does not make failures.
   *
   * @param stratum of an answer of the right arm; null where it is not known
   */
  List<Measure> strata(ArmPair pair, Function<Answer, @Nullable String> stratum) {
    Map<Answers.Key, String> strata = new HashMap<>();
    for (Answer answer : gate.answers().compared(pair.right())) {
      String name = stratum.apply(answer);
      if (name != null) {
        strata.put(Answers.Key.of(answer), name);
      }
    }
    List<Measure> measures = new ArrayList<>();
    List<Double> evidence = new ArrayList<>();
    for (String score : names(pair.left().regime(), pair.right().regime())) {
      ScoreRule rule = gate.policy().score(score);
      Double margin = margin(score, rule.stratumMargin(), rule.stratumMarginSd());
      if (margin != null) {
        split(keyed(score, pair), strata)
            .forEach((name, values) -> look(score, name, values, margin, rule, measures, evidence));
      }
    }
    return marked(measures, evidence);
  }

  private static SortedMap<String, SortedMap<Answers.Key, Double>> split(
      SortedMap<Answers.Key, Double> values, Map<Answers.Key, String> strata) {
    SortedMap<String, SortedMap<Answers.Key, Double>> parts = new TreeMap<>();
    values.forEach(
        (key, value) -> {
          String name = strata.get(key);
          if (name != null) {
            parts.computeIfAbsent(name, n -> new TreeMap<>()).put(key, value);
          }
        });
    return parts;
  }

  private void look(
      String score,
      String stratum,
      SortedMap<Answers.Key, Double> values,
      double margin,
      ScoreRule rule,
      List<Measure> measures,
      List<Double> evidence) {
    double[] differences = Numbers.array(Numbers.byPrompt(values));
    if (differences.length < Math.max(2, gate.policy().strata().leastPairs())) {
      return;
    }
    Measure m = test.judge(score, stratum, differences, margin, rule);
    measures.add(Verdicts.reported(m));
    evidence.add(EMerge.ofP(test.pBeyond(differences, margin, rule)));
  }

  private List<Measure> marked(List<Measure> measures, List<Double> evidence) {
    double[] e = evidence.stream().mapToDouble(Double::doubleValue).toArray();
    List<Measure> marked = new ArrayList<>(measures);
    for (int i : EBenjaminiHochberg.reject(e, gate.policy().strata().falseDiscoveries())) {
      Measure m = measures.get(i);
      marked.set(i, m.as(MeasureState.FAIL, m.test() + ", e-BH over strata"));
    }
    return marked;
  }

  /** Margin in the unit of the score; null when old production has no values to take it from. */
  @Nullable Double margin(String score, @Nullable Double absolute, double inSd) {
    if (absolute != null) {
      return absolute;
    }
    SortedMap<Answers.Key, Double> scores =
        gate.answers().scores(Arm.old(Regime.PRODUCTION), score);
    Moments moments = Numbers.moments(Numbers.array(scores));
    return moments.n() < 2 ? null : Double.valueOf(inSd * Numbers.sd(moments));
  }

  private SortedMap<Integer, Double> differences(String score, ArmPair pair) {
    return Numbers.byPrompt(keyed(score, pair));
  }

  /**
   * Differences of pairs. Where only the left answer has the score the right one counts as the
   * worst there is: 0 of a ratio, of others the worst of old production.
   */
  private SortedMap<Answers.Key, Double> keyed(String score, ArmPair pair) {
    SortedMap<Answers.Key, Double> right = gate.answers().scores(pair.right(), score);
    Set<Answers.Key> asked = gate.answers().asked(pair.right());
    Double worst = worst(score);
    SortedMap<Answers.Key, Double> differences = new TreeMap<>();
    gate.answers()
        .scores(pair.left(), score)
        .forEach(
            (key, value) -> {
              Double other = right.get(key);
              if (other == null && asked.contains(key)) {
                other = worst;
              }
              if (other != null) {
                differences.put(key, other - value);
              }
            });
    return differences;
  }

  private @Nullable Double worst(String score) {
    ScoreRule rule = gate.policy().score(score);
    boolean up = rule.worse() == ScoreRule.Worse.UP;
    if (rule.ratio()) {
      return up ? 1.0 : 0.0;
    }
    SortedMap<Answers.Key, Double> scores =
        gate.answers().scores(Arm.old(Regime.PRODUCTION), score);
    return scores.isEmpty()
        ? null
        : up ? Collections.max(scores.values()) : Collections.min(scores.values());
  }
}
