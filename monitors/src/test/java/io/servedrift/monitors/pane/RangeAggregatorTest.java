package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.schemas.avro.WindowSummary;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RangeAggregatorTest {
  private static final Duration LENGTH = Duration.ofMinutes(5);
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
  private static final int PER_WINDOW = 40;

  private static WindowSummary window(String configId, int number, double[] values) {
    Instant start = START.plus(LENGTH.multipliedBy(number));
    ValueDistribution distribution = ValueDistribution.of(HistogramLayout.DURATIONS, values);
    TailSketch sketch = TailSketch.of(distribution);
    return WindowStatistics.summary(distribution, sketch, WindowStatistics.DEFAULT_LEVEL)
        .setDeployment("image-gen")
        .setModelId("m")
        .setConfigId(configId)
        .setMetric("latency")
        .setStart(start)
        .setEnd(start.plus(LENGTH))
        .setDigest(ByteBuffer.wrap(sketch.toBytes()))
        .build();
  }

  private static double[] values(SplittableRandom random) {
    return random.doubles(PER_WINDOW).map(u -> 0.5 - 2 * StrictMath.log(1 - u)).toArray();
  }

  @Test
  void mergesAMonthOfWindowsExactly_withFewSketchesInMemory() {
    RangeAggregator range = new RangeAggregator(LENGTH);
    SplittableRandom random = new SplittableRandom(1);
    List<double[]> all = new ArrayList<>();
    int most = 0;
    for (int number = 0; number < 288 * 30; number++) {
      double[] values = values(random);
      all.add(values);
      range.add(window("c", number, values));
      most = Math.max(most, range.sketches());
    }
    // 8640 windows have four levels of at most fifteen.
    assertThat(most).isLessThanOrEqualTo(4 * (SketchTree.FAN - 1));

    WindowSummary merged = range.ranges().get(0);
    double[] sorted = all.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
    assertThat(merged.getN()).isEqualTo(sorted.length);
    assertThat(merged.getStart()).isEqualTo(START);
    assertThat(merged.getEnd()).isEqualTo(START.plus(Duration.ofDays(30)));
    assertThat(merged.getMean())
        .isCloseTo(Arrays.stream(sorted).average().orElseThrow(), within(1e-6));
    // Bins of the layout are 1 % wide, and answers are clamped into the right one.
    double p99 = sorted[(int) Math.ceil(.99 * sorted.length) - 1];
    assertThat(merged.getP99() / p99).isBetween(0.99, 1.01);
  }

  @Test
  void givesTheSameForTheSameWindows() {
    RangeAggregator once = new RangeAggregator(LENGTH);
    RangeAggregator again = new RangeAggregator(LENGTH);
    SplittableRandom random = new SplittableRandom(2);
    for (int number = 0; number < 600; number++) {
      WindowSummary first = window("a", number, values(random));
      WindowSummary second = window("b", number, values(random));
      once.add(first);
      once.add(second);
      again.add(second);
      again.add(first);
    }
    assertThat(again.ranges()).isEqualTo(once.ranges());
  }

  @Test
  void passesOverWindowsOfAnotherLength() {
    RangeAggregator range = new RangeAggregator(Duration.ofHours(1));
    range.add(window("c", 0, new double[] {1}));
    assertThat(range.ranges()).isEmpty();
    assertThat(range.leftOut()).isZero();
  }

  @Test
  void countsWindowsOfSeriesBeyondTheLimit_andKeepsTheWhole() {
    RangeAggregator range = new RangeAggregator(LENGTH);
    for (int series = 0; series < RangeAggregator.MOST_SERIES + 7; series++) {
      range.add(window("c" + series, 0, new double[] {1}));
    }
    range.add(window(SeriesKey.ALL, 0, new double[] {1}));
    range.add(window("c3", 1, new double[] {2}));
    assertThat(range.ranges()).hasSize(RangeAggregator.MOST_SERIES + 1);
    assertThat(range.leftOut()).isEqualTo(7);
  }
}
