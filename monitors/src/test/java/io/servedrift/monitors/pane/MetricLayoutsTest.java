package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricLayoutsTest {
  @ParameterizedTest
  @CsvSource({
    "latency, log:1e-5:86400:0.01, 1e-6",
    "queue, log:1e-5:86400:0.01, 1e-6",
    "inference, log:1e-5:86400:0.01, 1e-6",
    "time_to_first_token, log:1e-5:86400:0.01, 1e-6",
    "stage:denoise, log:1e-5:86400:0.01, 1e-6",
    "error_ratio, binary, 1",
    "json_valid, binary, 1",
    "answer_correct, binary, 1",
    "clip, lin:-1:1:2048, 1e-9",
    "aesthetic, lin:0:10:2048, 1e-9",
    "image_reward, slog:1e-6:1e9:0.01, 1e-9",
  })
  void givesEachMetricItsLayout_whenNothingIsOverridden(String metric, String id, double unit) {
    MetricLayouts layouts = new MetricLayouts();
    assertThat(layouts.layoutOf(metric).id()).isEqualTo(id);
    assertThat(layouts.unitOf(metric)).isEqualTo(unit);
  }

  @Test
  void prefersTheOverride_whenThereIsOne() {
    MetricLayouts layouts =
        new MetricLayouts(Map.of("clip", "lin:-100:100:2048", "stage:decode", "log:1e-3:10:0.02"));
    assertThat(layouts.layoutOf("clip").id()).isEqualTo("lin:-100:100:2048");
    assertThat(layouts.layoutOf("stage:decode").id()).isEqualTo("log:0.001:10:0.02");
    assertThat(layouts.layoutOf("stage:denoise")).isEqualTo(HistogramLayout.DURATIONS);
  }

  @Test
  void namesTheMetric_whenAnOverrideIsNoLayout() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MetricLayouts(Map.of("clip", "linear")))
        .withMessageContaining("metric 'clip'")
        .withMessageContaining("'linear'")
        .withMessageContaining("lin:LOW:HIGH:BINS");
  }
}
