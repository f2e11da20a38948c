package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link CochranMantelHaenszel}, {@link VanElteren} and {@link ZScore}. */
class StratifiedTest {
  static List<RefValues.Case> tables() {
    return RefValues.startingWith("cmh");
  }

  static List<RefValues.Case> ranks() {
    return RefValues.startingWith("van_elteren");
  }

  @ParameterizedTest
  @MethodSource("tables")
  void testsTheSame_whenComparedWithReferenceValues(RefValues.Case reference) {
    List<CochranMantelHaenszel.Table> tables = new ArrayList<>();
    for (JsonNode t : reference.inputs().get("tables")) {
      tables.add(
          new CochranMantelHaenszel.Table(
              t.get(0).get(0).longValue(),
              t.get(0).get(1).longValue(),
              t.get(1).get(0).longValue(),
              t.get(1).get(1).longValue()));
    }
    JsonNode right = reference.expected();
    CochranMantelHaenszel test = CochranMantelHaenszel.of(tables, 0.95);
    reference.check(test.chiSquared(), right.get("chi2"));
    reference.check(test.p(), right.get("p"));
    reference.check(test.oddsRatio(), right.get("or_mh"));
    if (right.has("chi2_cc")) {
      reference.check(test.corrected().z() * test.corrected().z(), right.get("chi2_cc"));
      reference.check(test.corrected().twoSided(), right.get("p_cc"));
      reference.check(test.logOddsRatio().lower(), right.get("log_or_ci95").get(0));
      reference.check(test.logOddsRatio().upper(), right.get("log_or_ci95").get(1));
      double homogeneity = breslowDay(tables, test.oddsRatio());
      reference.check(homogeneity, right.get("breslow_day"));
      double degrees = tables.size() - 1.0;
      reference.check(
          ChiSquaredDistribution.of(degrees).survivalProbability(homogeneity),
          right.get("breslow_day_p"));
    }
  }

  /** Whether the odds ratio is the same in all strata; Breslow &amp; Day (1980). */
  private static double breslowDay(List<CochranMantelHaenszel.Table> tables, double oddsRatio) {
    double sum = 0;
    for (CochranMantelHaenszel.Table table : tables) {
      double row = table.windowBeyond() + table.windowWithin();
      double column = table.windowBeyond() + table.referenceBeyond();
      double n = row + table.referenceBeyond() + table.referenceWithin();
      double a = 1 - oddsRatio;
      double b = n - row - column + oddsRatio * (row + column);
      double c = -oddsRatio * row * column;
      double fitted = (-b + Math.sqrt(b * b - 4 * a * c)) / (2 * a);
      double variance =
          1
              / (1 / fitted
                  + 1 / (row - fitted)
                  + 1 / (column - fitted)
                  + 1 / (n - row - column + fitted));
      double difference = table.windowBeyond() - fitted;
      sum += difference * difference / variance;
    }
    return sum;
  }

  @Test
  void comparesWithinStrata_whenTheMixAloneMoved() {
    // Exceedance 2 % and 20 % in either; the window has more of the second (Simpson).
    List<CochranMantelHaenszel.Table> tables =
        List.of(
            new CochranMantelHaenszel.Table(2, 98, 18, 882),
            new CochranMantelHaenszel.Table(180, 720, 20, 80));
    CochranMantelHaenszel test = CochranMantelHaenszel.of(tables, 0.95);
    assertThat(test.chiSquared()).isZero();
    assertThat(test.oddsRatio()).isCloseTo(1, within(1e-12));
    assertThat(test.corrected().z()).isZero();
    assertThat(test.logOddsRatio().contains(0)).isTrue();
  }

  @Test
  void saysNothing_whenNoStratumHasBothSides() {
    CochranMantelHaenszel test =
        CochranMantelHaenszel.of(
            List.of(
                new CochranMantelHaenszel.Table(1, 0, 0, 0),
                new CochranMantelHaenszel.Table(0, 50, 0, 40),
                new CochranMantelHaenszel.Table(0, 0, 3, 40)),
            0.95);
    assertThat(test.p()).isEqualTo(1);
    assertThat(test.oddsRatio()).isNaN();
    assertThat(test.logOddsRatio())
        .isEqualTo(new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY));
    assertThat(CochranMantelHaenszel.of(List.of(), 0.95).p()).isEqualTo(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CochranMantelHaenszel.Table(0, -1, 0, 0))
        .withMessage("windowWithin=-1: must be at least 0");
  }

  @Test
  void keepsItsLevel_whenNothingDiffersWithinStrata() {
    new IntervalCoverageTester(8, 3000)
        .assertCoverageAtLeast(
            0.945,
            random -> {
              List<CochranMantelHaenszel.Table> tables = new ArrayList<>();
              for (int stratum = 1; stratum <= 6; stratum++) {
                double p = 0.05 * stratum;
                long x = random.doubles(40L * stratum).filter(u -> u < p).count();
                long y = random.doubles(300).filter(u -> u < p).count();
                tables.add(new CochranMantelHaenszel.Table(x, 40L * stratum - x, y, 300 - y));
              }
              return CochranMantelHaenszel.of(tables, 0.95).p() > 0.05;
            });
  }

  @ParameterizedTest
  @MethodSource("ranks")
  void ranksTheSame_whenComparedWithReferenceValues(RefValues.Case reference) {
    JsonNode strata = reference.inputs().get("strata");
    long[][] window = new long[strata.size()][];
    long[][] ref = new long[strata.size()][];
    for (int s = 0; s < window.length; s++) {
      double[] x = RefValues.numbers(strata.get(s).get("x"));
      double[] y = RefValues.numbers(strata.get(s).get("y"));
      double[] levels =
          DoubleStream.concat(Arrays.stream(x), Arrays.stream(y)).sorted().distinct().toArray();
      window[s] = count(x, levels);
      ref[s] = count(y, levels);
    }
    ZScore score = VanElteren.of(window, ref);
    reference.check(score.z(), reference.expected().get("z"));
    reference.check(score.twoSided(), reference.expected().get("p"));
  }

  private static long[] count(double[] values, double[] levels) {
    long[] counts = new long[levels.length];
    for (double value : values) {
      counts[Arrays.binarySearch(levels, value)]++;
    }
    return counts;
  }

  @Test
  void turnsRound_whenSidesAreExchanged() {
    SplittableRandom random = new SplittableRandom(2);
    long[][] x = new long[5][24];
    long[][] y = new long[5][24];
    for (int s = 0; s < 5; s++) {
      for (int b = 0; b < 24; b++) {
        x[s][b] = random.nextInt(b + 1);
        y[s][b] = random.nextInt(24);
      }
    }
    assertThat(VanElteren.of(x, y).z()).isGreaterThan(3);
    assertThat(VanElteren.of(y, x).z()).isCloseTo(-VanElteren.of(x, y).z(), within(1e-12));
  }

  @Test
  void saysNothing_whenAllValuesAreTiedOrOneSideIsEmpty() {
    assertThat(VanElteren.of(new long[][] {{5, 0}}, new long[][] {{7, 0}}).z()).isZero();
    assertThat(VanElteren.of(new long[][] {{5, 2}}, new long[][] {{0, 0}}).z()).isZero();
    assertThat(VanElteren.of(new long[0][], new long[0][]).twoSided()).isEqualTo(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VanElteren.of(new long[][] {{-1}}, new long[][] {{1}}));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VanElteren.of(new long[][] {{1}}, new long[][] {{1, 2}}));
  }

  @Test
  void hasTailsThatAddUp_whenGivenAScore() {
    ZScore score = new ZScore(1.959963984540054);
    assertThat(score.upper()).isCloseTo(0.025, within(1e-12));
    assertThat(score.lower()).isCloseTo(0.975, within(1e-12));
    assertThat(score.twoSided()).isCloseTo(0.05, within(1e-12));
    assertThat(new ZScore(Double.NEGATIVE_INFINITY).twoSided()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> new ZScore(Double.NaN));
  }
}
