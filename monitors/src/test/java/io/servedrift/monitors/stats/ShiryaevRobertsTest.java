package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShiryaevRobertsTest {
  /** Of the accepted ranges below: the test fails by chance with at most this probability. */
  private static final double FALSE_ALARM = 1e-6;

  /** Standard normal quantile of 1 - 1e-6. */
  private static final double Z = 4.7534;

  private static final double ALARM = 100;

  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("esr_ecusum");
    double m = ShiryaevRoberts.START;
    double c = ShiryaevRoberts.CUSUM_START;
    double[] factors = RefValues.numbers(reference.inputs().get("l"));
    for (int i = 0; i < factors.length; i++) {
      m = ShiryaevRoberts.next(m, factors[i]);
      c = ShiryaevRoberts.nextCusum(c, factors[i]);
      reference.check(Math.exp(m), reference.expected().get("SR").get(i));
      reference.check(Math.exp(c), reference.expected().get("CUSUM").get(i));
    }
  }

  @Property(tries = 200)
  void isNeverBelowCusum_whateverTheFactors(
      @ForAll @Size(min = 1, max = 50) List<@DoubleRange(min = -50, max = 50) Double> factors) {
    double m = ShiryaevRoberts.START;
    double c = ShiryaevRoberts.CUSUM_START;
    for (double factor : factors) {
      m = ShiryaevRoberts.next(m, factor);
      c = ShiryaevRoberts.nextCusum(c, factor);
      assertThat(m).isGreaterThanOrEqualTo(c - 1e-9);
    }
  }

  @Test
  void neitherOverflowsNorSticks_whenAShiftLastsForMonthsAndEnds() {
    double m = ShiryaevRoberts.START;
    for (int minute = 0; minute < 100_000; minute++) {
      m = ShiryaevRoberts.next(m, 5);
    }
    assertThat(m).isCloseTo(500_000, within(1.0));
    for (int minute = 0; minute < 100_000; minute++) {
      m = ShiryaevRoberts.next(m, -6);
    }
    // The fixed point of M = e^-6 (1 + M).
    assertThat(Math.exp(m)).isCloseTo(Math.exp(-6) / (1 - Math.exp(-6)), within(1e-12));
    assertThat(ShiryaevRoberts.next(m, Double.NEGATIVE_INFINITY)).isEqualTo(ShiryaevRoberts.START);
  }

  /** Two bets on the same fair coin: L = 1 + stake if heads, 1 - stake if tails; both of mean 1. */
  @ParameterizedTest
  @ValueSource(doubles = {1.5, 3, 6, 12})
  void isWorthAsMuchAsTheTimePassed_whenStoppedAtAnAlarm(double alarm) {
    int steps = 12;
    double single = 0;
    double average = 0;
    double time = 0;
    double timeOfAverage = 0;
    for (int path = 0; path < 1 << steps; path++) {
      Stopped one = stop(path, steps, alarm, new double[] {0.5});
      Stopped two = stop(path, steps, alarm, new double[] {0.5, -0.9});
      single += one.value;
      time += one.steps;
      average += two.value;
      timeOfAverage += two.steps;
    }
    // E[M_T] = E[T] exactly, as the factors have mean 1; and so for averages of dependent ones.
    assertThat(single).isCloseTo(time, within(1e-9 * time));
    assertThat(average).isCloseTo(timeOfAverage, within(1e-9 * timeOfAverage));
  }

  private record Stopped(int steps, double value) {}

  private static Stopped stop(int path, int steps, double alarm, double[] stakes) {
    double[] logs = new double[stakes.length];
    Arrays.fill(logs, ShiryaevRoberts.START);
    for (int t = 0; t < steps; t++) {
      int side = (path >> t & 1) == 1 ? 1 : -1;
      for (int i = 0; i < stakes.length; i++) {
        logs[i] = ShiryaevRoberts.next(logs[i], Math.log1p(side * stakes[i]));
      }
      if (EMerge.logMean(logs) >= Math.log(alarm)) {
        return new Stopped(t + 1, Math.exp(EMerge.logMean(logs)));
      }
    }
    return new Stopped(steps, Math.exp(EMerge.logMean(logs)));
  }

  /**
   * The mean of 4,000 run lengths, nearly exponential, is normal to within the bound used: its
   * lower limit, mean - 4.75 standard errors (one-sided, probability 1e-6), must not be below A.
   * The overshoot of the last factor makes the true mean A exp(0.58 g) or so: 134 for g = 1/2.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 1, 2})
  void runsAtLeastTheAlarmLevelOnAverage_whenNothingChanges(double g) {
    RandomGenerator random = new SplittableRandom(20261201);
    Moments lengths = Moments.NONE;
    for (int run = 0; run < 4000; run++) {
      lengths = lengths.merge(new Moments(1, runLength(random, new double[] {g}), 0));
    }
    double error = Math.sqrt(lengths.variance() / lengths.n());
    assertThat(lengths.mean() - Z * error).as("lower limit").isGreaterThanOrEqualTo(ALARM);
    assertThat(lengths.mean()).isLessThan(ALARM * Math.exp(0.7 * g) + Z * error);
  }

  /**
   * P(alarm within t) &lt;= t / A, also for the average of six dependent e-detectors: the number of
   * 2,000 runs that alarm within A/4 is at most the 1 - 1e-6 quantile of Binomial(2000, 1/4).
   */
  @Test
  void alarmsNoMoreOftenThanItsBound_whenSixDependentBetsAreAveraged() {
    RandomGenerator random = new SplittableRandom(7);
    int runs = 2000;
    double[] grid = {0.5, 1, 2, -0.5, -1, -2};
    long early = 0;
    for (int run = 0; run < runs; run++) {
      early += runLength(random, grid) <= ALARM / 4 ? 1 : 0;
    }
    assertThat(early).isBetween(1L, BinomialTails.quantile(1 - FALSE_ALARM, runs, 0.25));
  }

  /** Updates until the average e-detector reaches A, each fed with a standard normal value. */
  private static double runLength(RandomGenerator random, double[] grid) {
    double[] logs = new double[grid.length];
    Arrays.fill(logs, ShiryaevRoberts.START);
    for (int t = 1; ; t++) {
      double z = random.nextGaussian();
      for (int i = 0; i < grid.length; i++) {
        double factor =
            GaussianFactor.logFactor(Math.signum(grid[i]) * z, 0, 0, Math.abs(grid[i]), 1);
        logs[i] = ShiryaevRoberts.next(logs[i], factor);
      }
      if (EMerge.logMean(logs) >= Math.log(ALARM)) {
        return t;
      }
    }
  }

  @Test
  void refuses_whenTheFactorIsNoNumber() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ShiryaevRoberts.next(0, Double.NaN))
        .withMessage("logFactor=NaN: must be finite or -infinity");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ShiryaevRoberts.nextCusum(0, Double.POSITIVE_INFINITY));
  }
}
