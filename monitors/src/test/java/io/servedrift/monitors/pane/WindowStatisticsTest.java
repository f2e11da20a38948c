package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.pane.ValueDistribution.RankBounds;
import io.servedrift.monitors.stats.ExactQuantile;
import io.servedrift.monitors.stats.OrderStatisticInterval;
import io.servedrift.schemas.avro.QuantileState;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WindowStatisticsTest {
  private static final HistogramLayout LAYOUT = HistogramLayout.DURATIONS;

  private static WindowStatistics of(double... values) {
    ValueDistribution distribution = ValueDistribution.of(LAYOUT, values);
    return WindowStatistics.of(distribution, TailSketch.of(distribution));
  }

  /** 0.1, 0.2, ... in a fixed shuffled order. */
  private static double[] tenths(int n) {
    return IntStream.range(0, n).mapToDouble(i -> (1 + (i * 7919L) % n) / 10.0).toArray();
  }

  @Test
  void saysNothing_whenThereIsNothing() {
    WindowStatistics none = of();
    assertThat(none.n()).isZero();
    assertThat(
            Arrays.asList(
                none.mean(),
                none.sd(),
                none.p50(),
                none.p90(),
                none.p99(),
                none.p999(),
                none.p99Lower(),
                none.p99Upper(),
                none.meanLower(),
                none.meanUpper(),
                none.min(),
                none.max()))
        .containsOnlyNulls();
    assertThat(none.p99State()).isEqualTo(QuantileState.INSUFFICIENT);
  }

  @Test
  void givesExactOrderStatistics_whenValuesAreFew() {
    WindowStatistics numbers = of(tenths(400));
    assertThat(numbers.p50()).isEqualTo(20.0);
    assertThat(numbers.p90()).isEqualTo(36.0);
    assertThat(numbers.p99()).isEqualTo(39.6);
    assertThat(numbers.p999()).isNull();
    assertThat(numbers.mean()).isEqualTo(20.05);
    assertThat(numbers.sd()).isCloseTo(Math.sqrt(400 * 401 / 12.0) / 10, within(1e-12));
    assertThat(numbers.min()).isEqualTo(0.1);
    assertThat(numbers.max()).isEqualTo(40.0);
    OrderStatisticInterval ranks = OrderStatisticInterval.of(400, 0.99, 0.95);
    assertThat(numbers.p99Lower()).isEqualTo(ranks.lowerRank().getAsLong() / 10.0);
    assertThat(numbers.p99Upper()).isEqualTo(ranks.upperRank().getAsLong() / 10.0);
    assertThat(numbers.meanLower()).isLessThan(20.05);
    assertThat(numbers.meanUpper()).isGreaterThan(20.05);
    assertThat(numbers.level()).isEqualTo(0.95);
  }

  @ParameterizedTest
  @CsvSource({
    "1, true, false, false, false, INSUFFICIENT, false, false",
    "9, true, false, false, false, INSUFFICIENT, false, false",
    "10, true, true, false, false, INSUFFICIENT, false, false",
    "99, true, true, false, false, INSUFFICIENT, false, false",
    "100, true, true, true, false, INSUFFICIENT, false, false",
    "298, true, true, true, false, INSUFFICIENT, false, false",
    "299, true, true, true, false, LOWER_BOUND, true, false",
    "367, true, true, true, false, LOWER_BOUND, true, false",
    "368, true, true, true, false, WIDE, true, true",
    "999, true, true, true, false, WIDE, true, true",
    "1000, true, true, true, false, SUFFICIENT, true, true",
    "3687, true, true, true, false, SUFFICIENT, true, true",
    "3688, true, true, true, true, SUFFICIENT, true, true",
  })
  void givesOnlyWhatNAllows_whenNGrows(
      int n,
      boolean p50,
      boolean p90,
      boolean p99,
      boolean p999,
      QuantileState state,
      boolean lower,
      boolean upper) {
    WindowStatistics numbers = of(tenths(n));
    assertThat(numbers.p50() != null).isEqualTo(p50);
    assertThat(numbers.p90() != null).isEqualTo(p90);
    assertThat(numbers.p99() != null).isEqualTo(p99);
    assertThat(numbers.p999() != null).isEqualTo(p999);
    assertThat(numbers.p99State()).isEqualTo(state);
    assertThat(numbers.p99Lower() != null).isEqualTo(lower);
    assertThat(numbers.p99Upper() != null).isEqualTo(upper);
    assertThat(numbers.meanLower() != null).isEqualTo(n >= 2);
  }

  @Property(tries = 40)
  void staysInTheBinOfTheOrderStatistic_whenPanesOfAnyShapeAreMerged(
      @ForAll long seed, @ForAll @IntRange(min = 513, max = 6000) int n) {
    Random random = new Random(seed);
    double[] values = anyShape(random, n);
    List<ValueDistribution> parts = new ArrayList<>();
    List<TailSketch> sketches = new ArrayList<>();
    for (int at = 0; at < n; ) {
      int to = Math.min(n, at + 1 + random.nextInt(700));
      ValueDistribution part = ValueDistribution.of(LAYOUT, Arrays.copyOfRange(values, at, to));
      parts.add(part);
      sketches.add(TailSketch.of(part));
      at = to;
    }
    ValueDistribution merged = ValueDistribution.merge(parts);
    WindowStatistics numbers = WindowStatistics.of(merged, TailSketch.merge(sketches));

    checkBin(numbers.p50(), ExactQuantile.of(values, 500));
    checkBin(numbers.p90(), ExactQuantile.of(values, 900));
    checkBin(numbers.p99(), ExactQuantile.of(values, 990));
    if (n >= 3688) {
      checkBin(numbers.p999(), ExactQuantile.of(values, 999));
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    OrderStatisticInterval ranks = OrderStatisticInterval.of(n, 0.99, 0.95);
    assertThat(numbers.p99Lower())
        .isLessThanOrEqualTo(sorted[(int) ranks.lowerRank().getAsLong() - 1]);
    assertThat(numbers.p99Upper())
        .isGreaterThanOrEqualTo(sorted[(int) ranks.upperRank().getAsLong() - 1]);
    assertThat(numbers.p99()).isBetween(numbers.p99Lower(), numbers.p99Upper());
  }

  private static double[] anyShape(Random random, int n) {
    int shape = random.nextInt(4);
    double[] values = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] =
          switch (shape) {
            case 0 -> 5 * Math.exp(0.5 * random.nextGaussian());
            case 1 -> Math.rint(20 * Math.exp(0.6 * random.nextGaussian()));
            case 2 -> random.nextInt(100) < 2 ? 60 + random.nextDouble() : 1 + random.nextDouble();
            default -> Math.pow(random.nextDouble(), -1 / 1.2);
          };
    }
    return values;
  }

  private static void checkBin(double shown, double exact) {
    int bin = LAYOUT.binOf(exact);
    assertThat(shown).isBetween(LAYOUT.lower(bin), LAYOUT.upper(bin));
    if (bin > 0) {
      assertThat(shown / exact - 1).isCloseTo(0, within(0.0203));
    }
  }

  @Test
  void clampsTheDigest_whenItContradictsTheCounts() {
    double[] values = tenths(2000);
    ValueDistribution distribution = ValueDistribution.of(LAYOUT, values);
    TailSketch wrong =
        TailSketch.of(
            ValueDistribution.of(LAYOUT, Arrays.stream(values).map(x -> 3 * x).toArray()));

    WindowStatistics numbers = WindowStatistics.of(distribution, wrong);

    assertThat(numbers.p99()).isEqualTo(distribution.rankBin(1980).upper());
    assertThat(numbers.p99() / 198 - 1).isBetween(0.0, 0.0203);
  }

  @Test
  void boundsByOneBin_whenTheExampleOfTheJavadocIsWorked() {
    RankBounds bin = boundsOf(100.0);
    assertThat(bin.lower()).isCloseTo(99.50, within(0.005));
    assertThat(bin.upper()).isCloseTo(101.51, within(0.005));
    assertThat(bin.clamp(100.2)).isEqualTo(100.2);
    assertThat(bin.clamp(93)).isEqualTo(bin.lower());
    assertThat(bin.clamp(108)).isEqualTo(bin.upper());
    assertThat(bin.upper() / bin.lower() - 1).isCloseTo(0.0202, within(0.0001));
  }

  private static RankBounds boundsOf(double value) {
    int bin = LAYOUT.binOf(value);
    return new RankBounds(LAYOUT.lower(bin), LAYOUT.upper(bin));
  }

  @Test
  void givesARatioWithItsExactInterval_whenValuesAreZeroOrOne() {
    double[] values = new double[1000];
    Arrays.fill(values, 0, 12, 1);
    ValueDistribution distribution = ValueDistribution.of(HistogramLayout.binary(), values);

    WindowStatistics numbers = WindowStatistics.of(distribution, TailSketch.empty());

    assertThat(numbers.mean()).isEqualTo(0.012);
    assertThat(numbers.meanLower()).isCloseTo(0.006215525559595245, within(1e-11));
    assertThat(numbers.meanUpper()).isCloseTo(0.020867679591036414, within(1e-11));
    assertThat(Arrays.asList(numbers.p50(), numbers.p90(), numbers.p99(), numbers.p999()))
        .containsOnlyNulls();
    assertThat(numbers.p99State()).isEqualTo(QuantileState.NOT_APPLICABLE);
    WindowStatistics none =
        WindowStatistics.of(ValueDistribution.empty(HistogramLayout.binary()), TailSketch.empty());
    assertThat(none.mean()).isNull();
    assertThat(none.meanUpper()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 400, 4000})
  void isACompleteWindowRecord_whenWrittenToAvro(int n) {
    ValueDistribution distribution = ValueDistribution.of(LAYOUT, tenths(n));
    TailSketch sketch = TailSketch.of(distribution);
    WindowSummary record =
        WindowStatistics.summary(distribution, sketch, 0.95)
            .setDeployment("d")
            .setModelId("m")
            .setConfigId("c")
            .setMetric("latency")
            .setStart(Instant.EPOCH)
            .setEnd(Instant.EPOCH.plusSeconds(60))
            .build();

    WindowStatistics numbers = WindowStatistics.of(distribution, sketch);
    assertThat(record.getN()).isEqualTo(n);
    assertThat(record.getMean()).isEqualTo(numbers.mean());
    assertThat(record.getSd()).isEqualTo(numbers.sd());
    assertThat(record.getP50()).isEqualTo(numbers.p50());
    assertThat(record.getP90()).isEqualTo(numbers.p90());
    assertThat(record.getP99()).isEqualTo(numbers.p99());
    assertThat(record.getP999()).isEqualTo(numbers.p999());
    assertThat(record.getP99Lower()).isEqualTo(numbers.p99Lower());
    assertThat(record.getP99Upper()).isEqualTo(numbers.p99Upper());
    assertThat(record.getMeanLower()).isEqualTo(numbers.meanLower());
    assertThat(record.getMeanUpper()).isEqualTo(numbers.meanUpper());
    assertThat(record.getP99State()).isEqualTo(numbers.p99State());
    assertThat(record.getMin()).isEqualTo(numbers.min());
    assertThat(record.getMax()).isEqualTo(numbers.max());
    assertThat(ValueDistribution.fromAvro(record.getDistribution())).isEqualTo(distribution);
    assertThat(TailSketch.fromBytes(record.getDigest().array())).isEqualTo(sketch);
  }

  @Test
  void refuses_whenSketchAndCountsAreOfDifferentValues() {
    ValueDistribution distribution = ValueDistribution.of(LAYOUT, tenths(1000));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WindowStatistics.of(distribution, TailSketch.empty()))
        .withMessage("sketch of n=0 with a distribution of n=1000: must be the same");
  }
}
