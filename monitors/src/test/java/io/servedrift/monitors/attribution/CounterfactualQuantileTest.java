package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.FamilySpec.Scope;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.stats.ProportionInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** How much of a p99 is traffic mix, against laws whose p99 is known. */
class CounterfactualQuantileTest {
  private static final HistogramLayout LAYOUT = HistogramLayout.DURATIONS;
  private static final long MINUTE = 60_000_000;
  private static final int MINUTES = 240;

  /** A class: requests a minute and the inverse of its law. */
  private record Kind(double perMinute, DoubleUnaryOperator seconds) {}

  /** Uniform from 1 to 2 seconds, scaled. */
  private static Kind uniform(double perMinute, double scale) {
    return new Kind(perMinute, u -> scale * (1 + u));
  }

  /** Survival (scale / y)^2, so that mixtures have a p99 in closed form. */
  private static Kind pareto(double perMinute, double scale) {
    return new Kind(perMinute, u -> scale / Math.sqrt(1 - u));
  }

  private static List<CellPane> panes(int from, long seed, Map<String, Kind> kinds) {
    SplittableRandom random = new SplittableRandom(seed);
    List<CellPane> panes = new ArrayList<>();
    for (int minute = from; minute < from + MINUTES; minute++) {
      List<CellPane.JointCell> cells = new ArrayList<>();
      for (Map.Entry<String, Kind> kind : new TreeMap<>(kinds).entrySet()) {
        double rate = kind.getValue().perMinute;
        int n = (int) rate + (random.nextDouble() < rate % 1 ? 1 : 0);
        if (n > 0) {
          double[] values = random.doubles(n).map(kind.getValue().seconds).toArray();
          cells.add(
              new CellPane.JointCell(
                  kind.getKey(),
                  CellAxes.UNKNOWN,
                  CellAxes.UNKNOWN,
                  CellAxes.UNKNOWN,
                  ValueDistribution.of(LAYOUT, values)));
        }
      }
      panes.add(new CellPane(minute * MINUTE, 20, cells));
    }
    return panes;
  }

  private static final Map<String, Kind> BEFORE =
      Map.of("short", uniform(10, 1), "long", uniform(10, 10));

  private static QuantileSplit split(long seed, Map<String, Kind> now) {
    return split(seed, BEFORE, now);
  }

  private static QuantileSplit split(long seed, Map<String, Kind> before, Map<String, Kind> now) {
    List<CellPane> reference = panes(0, 2 * seed, before);
    ReferenceCubes cubes =
        ReferenceCubes.of(
            BaselineLearner.learn(
                FamilySpec.durationTail().in(Scope.MARGINAL), LAYOUT, reference, MINUTE),
            reference);
    ClassContributions classes = ClassContributions.of(cubes, reference);
    Content.Writer out = new Content.Writer();
    CounterfactualQuantile.of(LAYOUT, classes, reference).write(out);
    return CounterfactualQuantile.read(new Content.Reader(out.bytes()))
        .split(classes, cubes, cubes.views().get(2), panes(MINUTES, 2 * seed + 1, now));
  }

  /** Half of it long: the p99 is the p98 of the long ones; three quarters: their p98.67. */
  @Test
  void chargesLongerPromptsToTheMix_andTheRestToLikeRequests() {
    QuantileSplit mix = split(1, Map.of("short", uniform(5, 1), "long", uniform(15, 10)));
    QuantileSplit slower = split(1, Map.of("short", uniform(10, 1.5), "long", uniform(10, 15)));

    assertThat(mix.reference()).isCloseTo(19.8, within(.4));
    assertThat(mix.mixed()).isCloseTo(10 * (2 - .01 / .75), within(.4));
    assertThat(mix.alike().contains(0)).isTrue();
    assertThat(slower.byMix().contains(0)).isTrue();
    assertThat(slower.current()).isCloseTo(29.7, within(.6));
    assertThat(slower.alike().lower()).isGreaterThan(8);
    assertThat(slower.text()).contains("p99 19.").contains("by traffic mix");
  }

  /** Far fewer long ones: 8 of 1000, so that the p99 lies among the short ones. */
  @Test
  void fallsWithTheMix() {
    QuantileSplit split = split(1, Map.of("short", uniform(19.84, 1), "long", uniform(.16, 10)));

    assertThat(split.mixed()).isBetween(1.9, 2.1);
    assertThat(split.byMix().upper()).isNegative();
  }

  @Test
  void countsAClassThatTheReferenceNeverSawAsMix() {
    QuantileSplit split =
        split(
            1, Map.of("short", uniform(10, 1), "long", uniform(10, 10), "video", uniform(2, 100)));

    assertThat(split.mixed()).isCloseTo(100 * (2 - .01 / (2 / 22.)), within(4.));
    assertThat(split.current()).isCloseTo(split.mixed(), within(1.));
  }

  @Test
  void saysNothing_ofFewerThanAHundredRequests() {
    QuantileSplit split = split(1, Map.of("short", uniform(.3, 1)));

    assertThat(split.requests()).isBetween(50L, 99L);
    assertThat(split.sufficient()).isFalse();
    assertThat(split.mixed()).isNaN();
  }

  /** In so many runs the intervals have to hold the truth as often as 95 % allows. */
  @Test
  void coversTheTruth() {
    Map<String, Kind> before = Map.of("short", pareto(10, 1), "long", pareto(10, 2));
    Map<String, Kind> now = Map.of("short", pareto(5, 1.2), "long", pareto(15, 2.4));
    double reference = 10 * Math.sqrt(.5 + .5 * 4);
    double mixed = 10 * Math.sqrt(.25 + .75 * 4);
    int runs = 200;
    int mix = 0;
    int alike = 0;
    double mixWidth = 0;
    double alikeWidth = 0;
    for (int run = 0; run < runs; run++) {
      QuantileSplit split = split(run + 100, before, now);
      mix += split.byMix().contains(mixed - reference) ? 1 : 0;
      alike += split.alike().contains(.2 * mixed) ? 1 : 0;
      mixWidth += (split.byMix().upper() - split.byMix().lower()) / runs;
      alikeWidth += (split.alike().upper() - split.alike().lower()) / runs;
    }

    assertThat(ProportionInterval.clopperPearson(mix, runs, .99).upper())
        .isGreaterThanOrEqualTo(.95);
    assertThat(ProportionInterval.clopperPearson(alike, runs, .99).upper())
        .isGreaterThanOrEqualTo(.95);
    assertThat(mixWidth)
        .isCloseTo(
            width(3.25, variance(-.25, .25, 1, EACH), mixed, reference), withinPercentage(15));
    double ofBoth = variance(.25, .75, 1.44, 0) + variance(.25, .75, 1, EACH);
    assertThat(alikeWidth)
        .isCloseTo(width(1.44 * 3.25, ofBoth, 1.2 * mixed, mixed), withinPercentage(15));
  }

  /** Requests of each of the two classes in the reference. */
  private static final double EACH = 10 * MINUTES;

  /**
   * Sampling variance of a weighted share beyond the p99 of the reference, where short ones lie
   * with a probability of .004 and long ones of .016, times a factor.
   *
   * @param each requests of each class; 0 for those of the window, 5 and 15 a minute
   */
  private static double variance(double ofShort, double ofLong, double factor, double each) {
    double less = factor * .004;
    double more = factor * .016;
    return ofShort * ofShort * less * (1 - less) / (each > 0 ? each : 5 * MINUTES)
        + ofLong * ofLong * more * (1 - more) / (each > 0 ? each : 15 * MINUTES);
  }

  /** Of the 95 % interval of a p99 where k / y^2 lie beyond y, with the bins that it ends in. */
  private static double width(double k, double variance, double own, double other) {
    double half = 1.96 * Math.sqrt(variance);
    return Math.sqrt(k / (.01 - half)) - Math.sqrt(k / (.01 + half)) + bin(own) + bin(other);
  }

  private static double bin(double value) {
    int bin = LAYOUT.binOf(value);
    return LAYOUT.upper(bin) - LAYOUT.lower(bin);
  }
}
