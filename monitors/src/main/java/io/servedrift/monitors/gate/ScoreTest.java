package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanInterval;
import io.servedrift.monitors.stats.Moments;
import io.servedrift.monitors.stats.PairedProportionDifference;
import io.servedrift.monitors.stats.SampleSize;
import java.util.Arrays;

/**
 * Whether a score differs by more than its margin, from differences per prompt. Equivalence is two
 * one-sided tests (Schuirmann 1987), which is the two-sided interval at 1 - 2 alpha inside the
 * margins; where only a loss counts it is one of them. Scores that are 0 or 1 are judged by the
 * score interval of Tango (1998) on McNemar's table, others by the paired t.
 */
final class ScoreTest {
  private static final double POWER = 0.9;

  private final GatePolicy policy;

  ScoreTest(GatePolicy policy) {
    this.policy = policy;
  }

  /**
   * Judges differences.
   *
   * @param differences one per prompt, left out where an answer or a score is missing
   * @param margin above 0, or 0 when the score has no spread at all
   */
  Measure judge(String score, String of, double[] differences, double margin, ScoreRule rule) {
    String name = score + ": mean difference";
    String unit = rule.ratio() ? "share" : "score";
    if (differences.length < 2) {
      return new Measure(
          name,
          of,
          null,
          null,
          null,
          policy.level(),
          differences.length,
          margin,
          unit,
          MeasureState.INSUFFICIENT,
          policy.minimumPairs(),
          "fewer than two pairs have the score");
    }
    Moments moments = Numbers.moments(differences);
    Interval interval = interval(differences, moments, rule, policy.level());
    MeasureState state =
        moments.n() < policy.minimumPairs()
            ? MeasureState.INSUFFICIENT
            : Verdicts.ofDifference(interval, margin, rule.worse());
    return new Measure(
        name,
        of,
        moments.mean(),
        interval.lower(),
        interval.upper(),
        policy.level(),
        moments.n(),
        margin,
        unit,
        state,
        state == MeasureState.INSUFFICIENT ? needed(moments, margin, rule) : null,
        test(differences, rule));
  }

  /** p-value against "the difference stays within the margin". */
  double pBeyond(double[] differences, double margin, ScoreRule rule) {
    double loss = pLoss(differences, margin, rule);
    double gain = pLoss(Arrays.stream(differences).map(d -> -d).toArray(), margin, rule);
    return switch (rule.worse()) {
      case DOWN -> loss;
      case UP -> gain;
      case BOTH -> Math.min(1, 2 * Math.min(loss, gain));
    };
  }

  /** Two-sided interval of the mean difference. */
  static Interval interval(double[] differences, Moments moments, ScoreRule rule, double level) {
    return table(differences, rule)
        ? PairedProportionDifference.interval(
            count(differences, 1), count(differences, -1), differences.length, level)
        : MeanInterval.of(moments.n(), moments.mean(), Numbers.sd(moments), level);
  }

  private static double pLoss(double[] differences, double margin, ScoreRule rule) {
    if (table(differences, rule) && margin < 1) {
      return PairedProportionDifference.score(
              count(differences, 1), count(differences, -1), differences.length, -margin)
          .lower();
    }
    Moments moments = Numbers.moments(differences);
    return MeanInterval.pBelow(moments.n(), moments.mean(), Numbers.sd(moments), -margin);
  }

  /** Whether the differences make a table: with several seeds per prompt they are means. */
  private static boolean table(double[] differences, ScoreRule rule) {
    return rule.ratio() && Arrays.stream(differences).allMatch(d -> d == 0 || Math.abs(d) == 1);
  }

  private static long count(double[] differences, double value) {
    return Arrays.stream(differences).filter(d -> d == value).count();
  }

  private static String test(double[] differences, ScoreRule rule) {
    String sides = rule.worse() == ScoreRule.Worse.BOTH ? "two one-sided tests" : "non-inferiority";
    return (table(differences, rule) ? "paired score interval (Tango), " : "paired t, ") + sides;
  }

  /**
   * Pairs with which it would be decided nine times in ten, were the difference the one that was
   * seen; near the margin half of the margin is taken as the distance, as nothing decides there.
   */
  private long needed(Moments moments, double margin, ScoreRule rule) {
    if (!(margin > 0)) {
      return policy.minimumPairs();
    }
    double seen = Math.abs(moments.mean());
    double sd = Numbers.sd(moments);
    // No pair differed: as many would have differed as one in n.
    double spread = sd > 0 || !rule.ratio() ? sd : 1 / Math.sqrt((double) moments.n());
    double room = Math.max(margin / 2, Math.abs(margin - seen));
    boolean both = rule.worse() == ScoreRule.Worse.BOTH && seen < margin / 2;
    long pairs =
        both
            ? SampleSize.equivalence(
                spread, margin, Math.min(seen, margin / 2), policy.alpha(), POWER)
            : SampleSize.nonInferiority(spread, room, policy.alpha(), POWER);
    return Math.max(Math.max(pairs, policy.minimumPairs()), moments.n() + 1);
  }
}
