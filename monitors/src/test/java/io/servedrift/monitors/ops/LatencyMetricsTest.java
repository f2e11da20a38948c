package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.NativeHistogramBucket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatencyMetricsTest {
  private static final Instant T0 = Instant.parse("2026-11-30T10:00:00Z");
  private final LatencyMetrics metrics = new LatencyMetrics(2);

  private static LatencyPane pane(String config, Instant end, double... seconds) {
    return pane("d", config, end, seconds);
  }

  private static LatencyPane pane(
      String deployment, String config, Instant end, double... seconds) {
    List<LatencyPane.Counted> values = new ArrayList<>();
    List<LatencyPane.Example> examples = new ArrayList<>();
    double sum = 0;
    for (double value : seconds) {
      values.add(new LatencyPane.Counted(value, 1));
      examples.add(new LatencyPane.Example(config + "-" + value, value, end.minusSeconds(1)));
      sum += value;
    }
    return new LatencyPane(deployment, "m", config, end, values, sum, examples);
  }

  private List<HistogramDataPointSnapshot> points() {
    return ((HistogramSnapshot) metrics.collect().get(0)).getDataPoints();
  }

  private String openMetrics() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    OpenMetricsTextFormatWriter.create().write(out, metrics.collect());
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void countsEveryValueInBothKindsOfBucket() {
    metrics.add(pane("c1", T0, .5, .5001, 42, 299, 2000, 0));
    metrics.add(pane("c1", T0.plusSeconds(60), 42));
    HistogramDataPointSnapshot point = points().get(0);
    assertThat(point.getCount()).isEqualTo(7);
    assertThat(point.getSum()).isCloseTo(2384.0001, within(1e-9));
    assertThat(point.getLabels().get("config_id")).isEqualTo("c1");
    assertThat(point.getLabels().get("metric")).isEqualTo("latency");
    assertThat(classicCount(point, .5)).as("bounds belong to their bucket").isEqualTo(2);
    assertThat(classicCount(point, 1)).isEqualTo(3);
    assertThat(classicCount(point, 45)).isEqualTo(5);
    assertThat(classicCount(point, 300)).isEqualTo(6);
    assertThat(classicCount(point, 1800)).isEqualTo(6);
    assertThat(point.getNativeSchema()).isEqualTo(5);
    assertThat(point.getNativeZeroCount()).isEqualTo(1);
    long natives =
        point.getNativeBucketsForPositiveValues().stream()
            .mapToLong(NativeHistogramBucket::getCount)
            .sum();
    assertThat(natives).isEqualTo(6);
  }

  private static long classicCount(HistogramDataPointSnapshot point, double upTo) {
    return point.getClassicBuckets().stream()
        .filter(bucket -> bucket.getUpperBound() <= upTo)
        .mapToLong(bucket -> bucket.getCount())
        .sum();
  }

  @Test
  void nativeBucketHoldsTheValue_andIsNarrowerThanThreePercent() {
    double base = Math.pow(2, 1 / 32.0);
    for (double seconds = 1e-4; seconds < 1e4; seconds *= 1.0137) {
      int index = LatencyHistogram.nativeIndex(seconds);
      assertThat(seconds).isGreaterThan(Math.pow(base, index - 1) * (1 - 1e-12));
      assertThat(seconds).isLessThanOrEqualTo(Math.pow(base, index) * (1 + 1e-12));
    }
    assertThat(LatencyHistogram.nativeIndex(1)).isZero();
    assertThat(LatencyHistogram.nativeIndex(2)).isEqualTo(32);
    assertThat(LatencyHistogram.nativeIndex(.5)).isEqualTo(-32);
  }

  @Test
  void showsTheLatestRequestOfEachBucketAsExemplar() throws IOException {
    metrics.add(pane("c1", T0.plusSeconds(60), 4.5, 42));
    metrics.add(pane("c1", T0, 4.4));
    String text = openMetrics();
    assertThat(text.lines().filter(l -> l.contains("le=\"5.0\"")))
        .singleElement()
        .asString()
        .endsWith("# {request_id=\"c1-4.5\"} 4.5 1796032859.000");
    assertThat(text.lines().filter(l -> l.contains("le=\"45.0\"")))
        .singleElement()
        .asString()
        .contains("request_id=\"c1-42.0\"");
    assertThat(text.lines().filter(l -> l.contains("le=\"10.0\"")))
        .singleElement()
        .asString()
        .doesNotContain("request_id");
  }

  @Test
  void leavesAnExemplarOut_whenItsIdIsTooLongForOpenMetrics() throws IOException {
    String longest = "x".repeat(118);
    metrics.add(example(longest));
    assertThat(openMetrics()).contains(longest);
    LatencyMetrics other = new LatencyMetrics(2);
    other.add(example(longest + "y"));
    assertThat(((HistogramSnapshot) other.collect().get(0)).getDataPoints().get(0).getExemplars())
        .isEmpty();
  }

  private static LatencyPane example(String id) {
    return new LatencyPane(
        "d",
        "m",
        "c1",
        T0,
        List.of(new LatencyPane.Counted(1, 1)),
        1,
        List.of(new LatencyPane.Example(id, 1, T0)));
  }

  @Test
  void sharesOneHistogram_whenConfigurationsExceedTheLimit() {
    for (int i = 0; i < 5; i++) {
      metrics.add(pane("c" + i, T0, 1.0 + i));
    }
    assertThat(points())
        .extracting(point -> point.getLabels().get("config_id") + " " + point.getCount())
        .containsExactlyInAnyOrder("c0 1", "c1 1", "other 3");
    metrics.add(pane("c0", T0.plusSeconds(60), 1));
    assertThat(points())
        .extracting(point -> point.getLabels().get("config_id") + " " + point.getCount())
        .contains("c0 2");
  }

  @Test
  void makesRoom_whenAConfigurationHasBeenSilentForADay() {
    metrics.add(pane("old", T0, 1));
    metrics.add(pane("busy", T0, 1));
    Instant later = T0.plus(Duration.ofDays(1)).plusSeconds(1);
    metrics.add(pane("busy", later, 1));
    metrics.add(pane("new", later, 1));
    assertThat(points())
        .extracting(point -> point.getLabels().get("config_id") + " " + point.getCount())
        .containsExactlyInAnyOrder("busy 2", "new 1");
  }

  private List<String> countsByDeployment() {
    return points().stream()
        .filter(point -> "other".equals(point.getLabels().get("config_id")))
        .map(point -> point.getLabels().get("deployment") + " " + point.getCount())
        .toList();
  }

  @Test
  void sharesOneHistogramOfAllDeployments_whenDeploymentsExceedTheLimit() {
    for (int i = 0; i < 100; i++) {
      metrics.add(pane("d" + i, "c", T0, 1, 2));
    }
    assertThat(points()).hasSize(5);
    assertThat(countsByDeployment()).containsExactlyInAnyOrder("d2 2", "d3 2", "other 192");
    metrics.add(pane("d3", "c", T0.plusSeconds(60), 1));
    assertThat(countsByDeployment()).containsExactlyInAnyOrder("d2 2", "d3 3", "other 192");
  }

  @Test
  void makesRoom_whenTheSharedHistogramOfADeploymentHasBeenSilentForADay() {
    metrics.add(pane("a", "c", T0, 1));
    metrics.add(pane("b", "c", T0, 1));
    metrics.add(pane("gone", "c", T0, 1));
    metrics.add(pane("stays", "c", T0, 1));
    Instant later = T0.plus(Duration.ofDays(1)).plusSeconds(1);
    metrics.add(pane("a", "c", later, 1));
    metrics.add(pane("b", "c", later, 1));
    metrics.add(pane("stays", "c", later, 1));
    metrics.add(pane("new", "c", later, 1));
    assertThat(countsByDeployment()).containsExactlyInAnyOrder("new 1", "stays 2");
  }

  @Test
  void countsAConfigurationCalledOtherAgainstTheLimit() {
    for (int i = 0; i < 100; i++) {
      metrics.add(pane("d" + i, "other", T0, 1));
    }
    assertThat(points()).hasSize(5);
  }

  @Test
  void refuses_whenLimitIsZero() {
    assertThatThrownBy(() -> new LatencyMetrics(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("metric config limit=0: must be at least 1");
  }
}
