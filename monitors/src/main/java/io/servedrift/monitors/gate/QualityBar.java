package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanInterval;
import io.servedrift.monitors.stats.Moments;
import io.servedrift.monitors.stats.ProportionInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What to do about quality, read after the gate passed: a clean single-request regime that misses
 * the bar cannot be served better; one that reaches it while production does not, can.
 */
final class QualityBar {
  private final GateCase gate;

  private QualityBar(GateCase gate) {
    this.gate = gate;
  }

  /** Null when no score has a bar. */
  static @Nullable BarSentence of(GateCase gate, ChangedAxes.Weights weights) {
    return new QualityBar(gate).sentence(weights);
  }

  private @Nullable BarSentence sentence(ChangedAxes.Weights weights) {
    List<Measure> clean = new ArrayList<>();
    List<Measure> served = new ArrayList<>();
    SortedMap<String, Double> bars = new TreeMap<>();
    for (Map.Entry<String, ScoreRule> entry : gate.policy().scores().entrySet()) {
      Double bar = entry.getValue().bar();
      if (bar != null) {
        bars.put(entry.getKey(), bar);
      }
    }
    if (bars.isEmpty()) {
      return null;
    }
    bars.forEach(
        (score, bar) -> {
          clean.add(level(score, Arm.fresh(Regime.SINGLE), bar));
          served.add(level(score, Arm.fresh(Regime.PRODUCTION), bar));
        });
    List<Measure> all = new ArrayList<>(clean);
    all.addAll(served);
    CheckState regime = state(clean);
    CheckState production = state(served);
    if (regime == CheckState.FAIL) {
      return new BarSentence(
          BarSentence.Advice.RETRAIN,
          "Retrain: the clean single-request regime misses the bar.",
          all);
    }
    if (regime == CheckState.PASS && production == CheckState.PASS) {
      return new BarSentence(
          BarSentence.Advice.NEITHER,
          "Neither: the clean regime and production reach the bar.",
          all);
    }
    if (regime == CheckState.PASS
        && production == CheckState.FAIL
        && weights == ChangedAxes.Weights.EQUAL) {
      return new BarSentence(
          BarSentence.Advice.CHANGE_THE_SERVING_LAYER,
          "Change the serving layer: the clean single-request regime reaches the bar, production"
              + " does not.",
          all);
    }
    return new BarSentence(
        BarSentence.Advice.CANNOT_TELL,
        regime == CheckState.PASS && production == CheckState.FAIL
            ? "Cannot tell: production misses the bar, but the weights of both sides are not known"
                + " to be equal."
            : "Cannot tell: the interval of a mean reaches both sides of its bar.",
        all);
  }

  private static CheckState state(List<Measure> measures) {
    return Verdicts.all(measures.stream().map(Measure::state).toList());
  }

  private Measure level(String score, Arm arm, double bar) {
    ScoreRule rule = gate.policy().score(score);
    double[] values = Numbers.array(Numbers.byPrompt(gate.answers().scores(arm, score)));
    String name = score + ": mean against the quality bar";
    if (values.length < Math.max(2, gate.policy().minimumPairs())) {
      return Verdicts.missing(name, arm.label(), values.length + " prompts have the score");
    }
    double level = gate.policy().level();
    Moments moments = Numbers.moments(values);
    Interval interval = interval(values, moments, rule, level);
    boolean low = rule.worse() != ScoreRule.Worse.UP;
    MeasureState state =
        low
            ? Verdicts.atLeast(interval.lower(), interval.upper(), bar)
            : Verdicts.atMost(interval.lower(), interval.upper(), bar);
    return new Measure(
        name,
        arm.label(),
        moments.mean(),
        interval.lower(),
        interval.upper(),
        level,
        moments.n(),
        bar,
        rule.ratio() ? "share" : "score",
        state,
        null,
        rule.ratio() ? "Wilson" : "t");
  }

  private static Interval interval(double[] values, Moments moments, ScoreRule rule, double level) {
    boolean bits = rule.ratio();
    long ones = 0;
    for (double value : values) {
      bits &= value == 0 || value == 1;
      ones += value == 1 ? 1 : 0;
    }
    return bits
        ? ProportionInterval.wilson(ones, values.length, level)
        : Objects.requireNonNull(
            MeanInterval.of(moments.n(), moments.mean(), Numbers.sd(moments), level));
  }
}
