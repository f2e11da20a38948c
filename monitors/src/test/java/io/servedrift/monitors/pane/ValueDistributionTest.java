package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.pane.ValueDistribution.Detail;
import io.servedrift.schemas.avro.Distribution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ValueDistributionTest {
  private static final HistogramLayout LAYOUT = HistogramLayout.DURATIONS;

  @Provide
  Arbitrary<double[]> values() {
    Arbitrary<Double> value =
        Arbitraries.oneOf(
            Arbitraries.doubles().between(-2, 100_000).ofScale(6),
            Arbitraries.integers().between(0, 30).map(Integer::doubleValue),
            Arbitraries.of(0.0, -0.0, 1e-5, 86_400.0, 1e12));
    return Arbitraries.integers()
        .between(0, 1100)
        .flatMap(n -> value.array(double[].class).ofSize(n));
  }

  @Property(tries = 200)
  void givesEqualObjectsAndBytes_whenPartsAreMergedInAnyTree(
      @ForAll("values") double[] values, @ForAll long seed) {
    ValueDistribution whole = ValueDistribution.of(LAYOUT, values);

    ValueDistribution merged = mergeAtRandom(values, new Random(seed), Detail.VALUES);

    assertThat(merged).isEqualTo(whole);
    assertThat(bytes(merged)).isEqualTo(bytes(whole));
    assertThat(whole.values() != null).isEqualTo(values.length <= ValueDistribution.VALUE_LIMIT);
  }

  @Property(tries = 100)
  void givesEqualObjectsAndBytes_whenPartsCarryBinsOnly(
      @ForAll("values") double[] values, @ForAll long seed) {
    ValueDistribution whole = ValueDistribution.of(LAYOUT, values, Detail.BINS);

    ValueDistribution merged = mergeAtRandom(values, new Random(seed), Detail.BINS);

    assertThat(merged).isEqualTo(whole);
    assertThat(bytes(merged)).isEqualTo(bytes(whole));
    assertThat(whole.values() != null).isEqualTo(values.length == 0);
  }

  private static ValueDistribution mergeAtRandom(double[] values, Random random, Detail detail) {
    List<Double> shuffled = new ArrayList<>(Arrays.stream(values).boxed().toList());
    Collections.shuffle(shuffled, random);
    List<ValueDistribution> parts = new ArrayList<>();
    parts.add(ValueDistribution.empty(LAYOUT));
    for (int at = 0; at < shuffled.size(); ) {
      int to = Math.min(shuffled.size(), at + random.nextInt(700));
      double[] part = shuffled.subList(at, to).stream().mapToDouble(x -> x).toArray();
      parts.add(random.nextInt(parts.size() + 1), ValueDistribution.of(LAYOUT, part, detail));
      at = to;
    }
    while (parts.size() > 1) {
      int take = 1 + random.nextInt(parts.size());
      Collections.shuffle(parts, random);
      List<ValueDistribution> some = parts.subList(0, take);
      ValueDistribution one = ValueDistribution.merge(some);
      some.clear();
      parts.add(one);
    }
    return parts.get(0);
  }

  @Property(tries = 100)
  void keepsEverything_whenWrittenAndRead(@ForAll("values") double[] values) {
    for (Detail detail : Detail.values()) {
      ValueDistribution whole = ValueDistribution.of(LAYOUT, values, detail);
      assertThat(ValueDistribution.fromAvro(whole.toAvro())).isEqualTo(whole);
    }
  }

  @Property(tries = 100)
  void boundsEveryOrderStatistic_whenAskedByRank(@ForAll("values") double[] values) {
    double[] sorted = Arrays.stream(values).map(x -> x + 0.0).sorted().toArray();
    for (Detail detail : Detail.values()) {
      ValueDistribution whole = ValueDistribution.of(LAYOUT, values, detail);
      for (int rank = 1; rank <= sorted.length; rank++) {
        double exact = sorted[rank - 1];
        ValueDistribution.RankBounds bounds = whole.rankBin(rank);
        assertThat(exact).isBetween(bounds.lower(), bounds.upper());
        if (exact > 1e-5 && exact < 86_400) {
          assertThat(bounds.upper() / bounds.lower()).isLessThan(1.0204);
        }
      }
    }
  }

  @Test
  void countsTheSameBins_whetherValuesAreCarriedOrNot() {
    double[] values = {3, 0, 3.01, 40, 90_000};
    ValueDistribution withValues = ValueDistribution.of(LAYOUT, values);
    ValueDistribution binsOnly = ValueDistribution.of(LAYOUT, values, Detail.BINS);

    assertThat(withValues.values()).containsExactly(0, 3, 3.01, 40, 90_000);
    assertThat(binsOnly.values()).isNull();
    assertThat(withValues.bins()).isEqualTo(binsOnly.bins());
    assertThat(withValues.counts()).isEqualTo(binsOnly.counts());
    assertThat(Arrays.stream(binsOnly.counts()).sum()).isEqualTo(5);
    assertThat(binsOnly.rankBin(1)).isEqualTo(new ValueDistribution.RankBounds(0, 0));
    assertThat(binsOnly.rankBin(5)).isEqualTo(new ValueDistribution.RankBounds(90_000, 90_000));
  }

  @Property(tries = 200)
  void countsAsALayoutDoes_whenBinsAreFewOrMany(@ForAll long seed) {
    Random random = new Random(seed);
    HistogramLayout layout = HistogramLayout.linear(0, 1, 1 + random.nextInt(300));
    int parts = 1 + random.nextInt(6);
    long[] right = new long[layout.binCount()];
    List<ValueDistribution> all = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      double[] values = random.doubles(random.nextInt(40), -0.1, 1.1).toArray();
      Arrays.stream(values).forEach(value -> right[layout.binOf(value)]++);
      all.add(ValueDistribution.of(layout, values, Detail.BINS));
    }
    ValueDistribution merged = ValueDistribution.merge(all);

    long[] counted = new long[layout.binCount()];
    int[] bins = merged.bins();
    for (int i = 0; i < bins.length; i++) {
      counted[bins[i]] = merged.counts()[i];
    }
    assertThat(counted).isEqualTo(right);
    assertThat(bins).isSorted().doesNotHaveDuplicates();
    assertThat(Arrays.stream(merged.counts()).allMatch(count -> count > 0)).isTrue();
  }

  @Test
  void sumsExactly_whenDoublesWouldNot() {
    double[] tenths = new double[10];
    Arrays.fill(tenths, 0.1);
    ValueDistribution distribution = ValueDistribution.of(LAYOUT, tenths);

    assertThat(
            Arrays.stream(new double[] {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1})
                .reduce(0, Double::sum))
        .isNotEqualTo(1.0);
    assertThat(distribution.sumUnits()).isEqualTo(BigInteger.valueOf(1_000_000));
    assertThat(distribution.sumSquares()).isEqualTo(new BigInteger("100000000000"));
    assertThat(distribution.mean()).isEqualTo(0.1);
    assertThat(distribution.variance()).isZero();
  }

  @Property(tries = 50)
  void sumsAsBigIntegersDo_whenValuesAreLargeAndMany(@ForAll long seed) {
    Random random = new Random(seed);
    double[] values = new double[40_000];
    BigInteger sum = BigInteger.ZERO;
    BigInteger squares = BigInteger.ZERO;
    for (int i = 0; i < values.length; i++) {
      // up to 2^48 units, both signs, and now and then far beyond
      values[i] = (random.nextInt(100) == 0 ? 1e6 : 1) * 2.8e8 * (2 * random.nextDouble() - 1);
      BigInteger units = new BigDecimal(Math.rint(values[i] * 1e6)).toBigIntegerExact();
      sum = sum.add(units);
      squares = squares.add(units.multiply(units));
    }
    ValueDistribution distribution = ValueDistribution.of(LAYOUT, values);

    assertThat(distribution.sumUnits()).isEqualTo(sum);
    assertThat(distribution.sumSquares()).isEqualTo(squares);
  }

  @Test
  void givesTextbookMoments_whenValuesAreFew() {
    // refvalues moment_merge: the seven values behind n=7, mean 16.714285714285715, m2
    // 1965.4285714285716
    ValueDistribution a = ValueDistribution.of(LAYOUT, new double[] {1, 2, 4});
    ValueDistribution b = ValueDistribution.of(LAYOUT, new double[] {10, 20, 30, 50});
    ValueDistribution both = ValueDistribution.merge(List.of(a, b));

    assertThat(both.mean()).isCloseTo(16.714285714285715, within(1e-14));
    assertThat(both.variance() * 6).isCloseTo(1965.4285714285716, within(1e-9));
    assertThat(ValueDistribution.of(LAYOUT, new double[] {3.41}).mean()).isEqualTo(3.41);
    assertThat(ValueDistribution.of(LAYOUT, new double[] {3.41}).variance()).isNaN();
    assertThat(ValueDistribution.empty(LAYOUT).mean()).isNaN();
  }

  @Test
  void isNotChangedFromOutside_whenArraysAreWritten() {
    double[] input = {1, 2, 3};
    ValueDistribution distribution = ValueDistribution.of(LAYOUT, input);
    input[0] = 9;
    double[] out = distribution.values();
    out[1] = 9;

    assertThat(distribution.values()).containsExactly(1, 2, 3);
    assertThat(distribution.rankBin(1).lower()).isEqualTo(1);
  }

  @Test
  void refuses_whenAValueIsNoNumber() {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, 1.1e15}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ValueDistribution.of(LAYOUT, new double[] {1, bad}))
          .withMessageContaining(String.valueOf(bad))
          .withMessageContaining("1e15");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ValueDistribution.of(HistogramLayout.binary(), new double[] {0.5}))
        .withMessageContaining("0 or 1");
  }

  @Test
  void refuses_whenLayoutsDifferOrNothingIsMerged() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ValueDistribution.merge(
                    List.of(
                        ValueDistribution.empty(LAYOUT),
                        ValueDistribution.empty(HistogramLayout.OPEN_SCORES))))
        .withMessageContaining("slog:1e-6:1e9:0.01");
    assertThatIllegalArgumentException().isThrownBy(() -> ValueDistribution.merge(List.of()));
  }

  @Test
  void refuses_whenARecordContradictsItself() {
    double[] many = new double[600];
    Distribution bins = ValueDistribution.of(LAYOUT, many).toAvro();
    Distribution values = ValueDistribution.of(LAYOUT, new double[] {1, 2}).toAvro();
    List<Distribution> broken =
        List.of(
            Distribution.newBuilder(bins).setN(601).build(),
            Distribution.newBuilder(bins).setCounts(List.of(-600L)).build(),
            Distribution.newBuilder(bins).setCounts(List.of()).build(),
            Distribution.newBuilder(bins).setBins(List.of(100_000)).build(),
            Distribution.newBuilder(bins).setMin(null).build(),
            Distribution.newBuilder(bins).setMin(1.0).build(),
            Distribution.newBuilder(bins).setMax(Double.NaN).build(),
            Distribution.newBuilder(bins).setLayout("log:1:2").build(),
            Distribution.newBuilder(values).setN(3).build(),
            Distribution.newBuilder(values).setValues(List.of(1.0, 3.0)).build());
    for (Distribution record : broken) {
      assertThatIllegalArgumentException().isThrownBy(() -> ValueDistribution.fromAvro(record));
    }
  }

  private static byte[] bytes(ValueDistribution distribution) {
    try {
      return Distribution.getEncoder().encode(distribution.toAvro()).array();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
