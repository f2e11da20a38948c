package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.stats.RefValues;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramLayoutTest {
  static List<HistogramLayout> layouts() {
    return List.of(
        HistogramLayout.DURATIONS,
        HistogramLayout.OPEN_SCORES,
        HistogramLayout.logarithmic(1e-3, 60, 0.02),
        HistogramLayout.linear(0, 10, 2048),
        HistogramLayout.linear(-1, 1, 7),
        HistogramLayout.signedLogarithmic(0.5, 100, 0.1),
        HistogramLayout.binary());
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void coversTheLineWithoutGapOrOverlap_whenBinsAreWalked(HistogramLayout layout) {
    int last = layout.binCount() - 1;
    for (int bin = 0; bin <= last; bin++) {
      assertThat(layout.binOf(layout.midpoint(bin))).isEqualTo(bin);
      if (layout.isBinary()) {
        continue;
      }
      if (bin < last) {
        double edge = layout.upper(bin);
        assertThat(layout.lower(bin + 1)).isEqualTo(edge);
        assertThat(layout.binOf(edge)).isEqualTo(bin);
        assertThat(layout.binOf(Math.nextUp(edge))).isEqualTo(bin + 1);
        assertThat(layout.midpoint(bin)).isLessThanOrEqualTo(edge);
        assertThat(layout.midpoint(bin + 1)).isGreaterThan(edge);
      }
    }
    if (!layout.isBinary()) {
      assertThat(layout.lower(0)).isEqualTo(Double.NEGATIVE_INFINITY);
      assertThat(layout.upper(last)).isEqualTo(Double.POSITIVE_INFINITY);
      assertThat(layout.binOf(-HistogramLayout.LARGEST)).isZero();
      assertThat(layout.binOf(HistogramLayout.LARGEST)).isEqualTo(last);
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void isTheSameLayout_whenItsIdIsParsed(HistogramLayout layout) {
    HistogramLayout parsed = HistogramLayout.parse(layout.id());

    assertThat(parsed).isEqualTo(layout).hasSameHashCodeAs(layout);
    assertThat(parsed.binCount()).isEqualTo(layout.binCount());
    assertThat(HistogramLayout.parse(layout.id())).isSameAs(parsed);
    for (int bin = 0; bin < layout.binCount(); bin++) {
      assertThat(parsed.upper(bin)).isEqualTo(layout.upper(bin));
    }
  }

  @Test
  void hasReadableIds_whenPrinted() {
    assertThat(HistogramLayout.DURATIONS).hasToString("log:1e-5:86400:0.01");
    assertThat(HistogramLayout.OPEN_SCORES).hasToString("slog:1e-6:1e9:0.01");
    assertThat(HistogramLayout.linear(0, 10, 2048)).hasToString("lin:0:10:2048");
    assertThat(HistogramLayout.binary()).hasToString("binary");
    assertThat(HistogramLayout.DURATIONS.binCount()).isEqualTo(1147);
  }

  @Test
  void hasTheBucketsOfDdSketch_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("ddsketch_index");
    double alpha = reference.inputs().get("alpha").doubleValue();
    HistogramLayout layout = HistogramLayout.DURATIONS;
    JsonNode right = reference.expected();
    double gamma = (1 + alpha) / (1 - alpha);
    reference.check(gamma, right.get("gamma"));
    int zero = layout.binOf(1.0);
    assertThat(layout.upper(zero)).as("power 0 of gamma").isEqualTo(1.0);
    for (int i = 0; i < right.get("index").size(); i++) {
      int bin = layout.binOf(reference.inputs().get("x").get(i).doubleValue());
      assertThat(bin - zero).isEqualTo(right.get("index").get(i).intValue());
      reference.check(layout.midpoint(bin), right.get("value").get(i));
    }
  }

  @Property(tries = 500)
  void isWithinOnePercent_whenADurationIsShownByItsMidpoint(@ForAll long seed) {
    double value = Math.pow(10, -5 + 9.93 * new Random(seed).nextDouble());
    HistogramLayout layout = HistogramLayout.DURATIONS;
    assertThat(layout.midpoint(layout.binOf(value)) / value - 1).isCloseTo(0, within(0.01 + 1e-12));
  }

  @Property(tries = 500)
  void isWithinOnePercent_whenAScoreOfEitherSignIsShownByItsMidpoint(@ForAll long seed) {
    Random random = new Random(seed);
    double value = Math.pow(10, -6 + 15 * random.nextDouble()) * (random.nextBoolean() ? 1 : -1);
    HistogramLayout layout = HistogramLayout.OPEN_SCORES;
    assertThat(layout.midpoint(layout.binOf(value)) / value - 1).isCloseTo(0, within(0.01 + 1e-12));
  }

  @Test
  void putsZeroAndBelowIntoTheFirstBin_whenDurationsAreCounted() {
    for (double low : new double[] {-3, -0.0, 0, 1e-9, Double.MIN_VALUE}) {
      assertThat(HistogramLayout.DURATIONS.binOf(low)).isZero();
    }
    assertThat(HistogramLayout.DURATIONS.binOf(100_000))
        .isEqualTo(HistogramLayout.DURATIONS.binCount() - 1);
    int zeroBin = HistogramLayout.OPEN_SCORES.binOf(0);
    assertThat(HistogramLayout.OPEN_SCORES.binOf(-0.0)).isEqualTo(zeroBin);
    assertThat(HistogramLayout.OPEN_SCORES.midpoint(zeroBin)).isZero();
  }

  @Test
  void holdsBothEnds_whenTheRangeIsDeclared() {
    HistogramLayout layout = HistogramLayout.linear(0, 10, 2048);
    assertThat(layout.binCount()).isEqualTo(2050);
    assertThat(layout.binOf(0)).isEqualTo(1);
    assertThat(layout.binOf(-0.0)).isEqualTo(1);
    assertThat(layout.binOf(10)).isEqualTo(2048);
    assertThat(layout.binOf(-1e-300)).isZero();
    assertThat(layout.binOf(Math.nextUp(10.0))).isEqualTo(2049);
    assertThat(layout.upper(1024)).isEqualTo(5.0);
  }

  @Test
  void acceptsOnlyZeroAndOne_whenBinary() {
    HistogramLayout layout = HistogramLayout.binary();
    assertThat(layout.binOf(0)).isZero();
    assertThat(layout.binOf(1)).isEqualTo(1);
    assertThat(layout.upper(1)).isEqualTo(1.0);
    assertThat(layout.accepts(0.5)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> layout.binOf(2))
        .withMessage("value 2.0: must be 0 or 1 for layout binary");
  }

  @Test
  void hasAUnit_whenSumsAreKept() {
    assertThat(HistogramLayout.DURATIONS.unit()).isEqualTo(1e-6);
    assertThat(HistogramLayout.OPEN_SCORES.unit()).isEqualTo(1e-9);
    assertThat(HistogramLayout.linear(0, 1, 10).unit()).isEqualTo(1e-9);
    assertThat(HistogramLayout.binary().unit()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "log",
        "log:1:2",
        "log:1:2:3:4",
        "log:a:2:0.01",
        "exp:1:2:0.01",
        "lin:0:1:1.5",
        "lin:0:1:0",
        "lin:1:0:10",
        "lin:0:NaN:10",
        "lin:1:1.0000000000000002:100",
        "log:0:2:0.01",
        "log:2:1:0.01",
        "log:1:1e16:0.01",
        "log:1:2:0",
        "log:1e-300:1e15:0.0001",
        "slog:-1:1:0.01",
        "binary:1:2:3"
      })
  void refuses_whenAnIdIsNoLayout(String id) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HistogramLayout.parse(id))
        .withMessageContaining("layout");
  }

  @Test
  void refuses_whenABinDoesNotExist() {
    HistogramLayout layout = HistogramLayout.linear(0, 1, 2);
    for (int bad : new int[] {-1, 4}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> layout.lower(bad))
          .withMessage("bin " + bad + ": must be between 0 and 3 for layout lin:0:1:2");
    }
  }
}
