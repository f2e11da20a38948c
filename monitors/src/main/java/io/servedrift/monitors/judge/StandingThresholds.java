package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.detection.AlarmLevels;
import io.servedrift.monitors.detection.DetectionPower;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.MetricPolicy;
import io.servedrift.monitors.policy.MetricPolicy.BaselineUse;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where the line lies that people draw beside a value: the number from which on a shift for the
 * worse counts, if it lasts and the traffic is like that of the baseline. The judge itself compares
 * like with like and knows no such line.
 *
 * <pre>
 * p99 of durations    baseline p99 * (1 + effect)
 * mean of scores      baseline mean + effect, or - effect, whichever is worse
 * ratios              failures of the baseline + effect
 * </pre>
 *
 * {@code effect} is the policy's {@code minimum_effect}. Where that is 0, which leaves it to the
 * detector, it is the smallest shift of a mean or ratio that {@link DetectionPower} expects to be
 * found within an hour. NaN where there is no such line: no baseline, nothing that could be found
 * in an hour, or a metric for which both directions are worse.
 */
final class StandingThresholds {
  private static final Duration SOON = Duration.ofHours(1);

  private final MetricPolicy policy;
  private final Collection<FamilyJudge> families;
  private final Function<String, AlarmLevels> levels;

  /**
   * Lines of one series.
   *
   * @param families all of the series
   * @param levels alarm levels by the name of a family
   */
  StandingThresholds(
      MetricPolicy policy, Collection<FamilyJudge> families, Function<String, AlarmLevels> levels) {
    this.policy = policy;
    this.families = families;
    this.levels = levels;
  }

  /**
   * Everything that is held of the series.
   *
   * @param worseThanEval whether a finding for the worse against an evaluation is open
   */
  SeriesStanding of(SeriesKey series, boolean worseThanEval) {
    Optional<FamilyJudge> main =
        families.stream().min(Comparator.comparing(f -> rank(f.reference().basis())));
    if (policy.baseline() == BaselineUse.NONE || main.isEmpty()) {
      SeriesStanding.State state =
          policy.baseline() == BaselineUse.NONE
              ? SeriesStanding.State.NOT_JUDGED
              : SeriesStanding.State.NO_BASELINE;
      return new SeriesStanding(
          series, state, "", 0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }
    Reference reference = main.get().reference();
    Summary normal = reference.summary();
    return new SeriesStanding(
        series,
        worseThanEval || drifted() ? SeriesStanding.State.DRIFTED : SeriesStanding.State.HOLDS,
        reference.basis().word(),
        normal.n(),
        normal.mean(),
        normal.p99(),
        mean(reference),
        p99(reference));
  }

  /** The series itself before a predecessor before the whole deployment's traffic. */
  private static int rank(Basis basis) {
    return switch (basis) {
      case PINNED -> 0;
      case LEARNED -> 1;
      case PREDECESSOR -> 2;
      case MARGINAL -> 3;
    };
  }

  private boolean drifted() {
    return families.stream()
        .map(FamilyJudge::open)
        .anyMatch(open -> open != null && open.direction().equals("worse"));
  }

  private double p99(Reference reference) {
    return reference.baseline().spec().logarithmic() && policy.minimumEffect() > 0
        ? reference.summary().p99() * (1 + policy.minimumEffect())
        : Double.NaN;
  }

  private double mean(Reference main) {
    if (main.baseline().spec().logarithmic()) {
      return Double.NaN;
    }
    return families.stream()
        .filter(f -> f.reference().basis() == main.basis())
        .filter(f -> f.reference().baseline().spec().statistic() != FamilySpec.Statistic.TAIL)
        .findFirst()
        .map(this::meanOf)
        .orElse(Double.NaN);
  }

  private double meanOf(FamilyJudge family) {
    Baseline baseline = family.reference().baseline();
    double mean = family.reference().summary().mean();
    if (baseline.spec().statistic() == FamilySpec.Statistic.RATIO) {
      boolean ones = baseline.spec().upper();
      double failures = ones ? mean : 1 - mean;
      double rate =
          policy.minimumEffect() > 0 ? failures + policy.minimumEffect() : smallestFound(family);
      return ones ? rate : 1 - rate;
    }
    double effect = policy.minimumEffect() > 0 ? policy.minimumEffect() : smallestFound(family);
    return switch (policy.worse()) {
      case UP -> mean + effect;
      case DOWN -> mean - effect;
      case BOTH -> Double.NaN;
    };
  }

  /** NaN when nothing could be found in time. */
  private double smallestFound(FamilyJudge family) {
    Baseline baseline = family.reference().baseline();
    DetectionPower power = new DetectionPower(baseline, levels.apply(family.name()).alert());
    double smallest =
        baseline.tracks().stream()
            .filter(t -> t.track().overall() && t.track().contrast() == null)
            .mapToDouble(t -> power.smallestShift(t, SOON).shift())
            .min()
            .orElse(Double.POSITIVE_INFINITY);
    return Double.isFinite(smallest) ? smallest : Double.NaN;
  }
}
