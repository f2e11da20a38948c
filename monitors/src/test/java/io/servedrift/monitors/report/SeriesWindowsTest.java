package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.TailSketch;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.pane.WindowStatistics;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeriesWindowsTest {
  private static WindowSummary window(int i, Duration length) {
    Instant start = Instant.EPOCH.plus(length.multipliedBy(i));
    return WindowStatistics.summary(
            ValueDistribution.of(HistogramLayout.DURATIONS, new double[] {1, 2, 3}),
            TailSketch.merge(List.of()),
            0.95)
        .setDeployment("d")
        .setModelId("m")
        .setConfigId("c")
        .setMetric("latency")
        .setStart(start)
        .setEnd(start.plus(length))
        .build();
  }

  private static ObjectNode described(int shortWindows) {
    SeriesWindows windows = new SeriesWindows();
    for (int i = 0; i < shortWindows; i++) {
      windows.add(window(i, Duration.ofMinutes(5)));
      if (i % 12 == 11) {
        windows.add(window(i / 12, Duration.ofHours(1)));
      }
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    windows.describe(node);
    return node;
  }

  @Test
  void showsTheShortestWindows_whileAChartCanHoldThem() {
    ObjectNode node = described(SeriesWindows.MOST_POINTS);
    assertThat(node.path("window_seconds").asDouble()).isEqualTo(300);
    assertThat(node.path("points")).hasSize(SeriesWindows.MOST_POINTS);
    assertThat(node.at("/points/0/p99").isNull()).isTrue();
    assertThat(node.at("/points/0/p99_state").asText()).isEqualTo("insufficient");
    assertThat(node.at("/points/0/mean").asDouble()).isEqualTo(2);
    assertThat(node.at("/points/1/start").asLong()).isEqualTo(300_000);
  }

  @Test
  void showsLongerOnes_whenThereAreTooMany() {
    ObjectNode node = described(SeriesWindows.MOST_POINTS + 12);
    assertThat(node.path("window_seconds").asDouble()).isEqualTo(3600);
    assertThat(node.path("points")).hasSize(51);
  }

  @Test
  void thinsOutTheLongest_whenAllHaveTooMany() {
    SeriesWindows windows = new SeriesWindows();
    int all = 61 * 12; // 61 hours in windows of five minutes, and no other length
    for (int i = 0; i < all; i++) {
      windows.add(window(i, Duration.ofMinutes(5)));
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    assertThat(windows.describe(node)).isEqualTo(all / 2);
    assertThat(node.path("window_seconds").asDouble()).isEqualTo(300);
    assertThat(node.path("points")).hasSize(all / 2);
    for (int i = 0; i < all / 2; i++) {
      assertThat(node.at("/points/" + i + "/start").asLong()).isEqualTo(i * 600_000L);
    }
  }

  @Test
  void neverKeepsMorePointsThanAChartCanHold() {
    SeriesWindows windows = new SeriesWindows();
    for (int i = 0; i < 5_000; i++) {
      windows.add(window(i, Duration.ofMinutes(5)));
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    assertThat(windows.describe(node)).isEqualTo(5_000 - 313);
    // Every sixteenth, from the first to the end.
    assertThat(node.path("points")).hasSize(313);
    assertThat(node.at("/points/312/start").asLong()).isEqualTo(312L * 16 * 300_000);
  }
}
