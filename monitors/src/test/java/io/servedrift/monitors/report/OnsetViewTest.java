package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.schemas.avro.QuantileState;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The chart of a long run is thinned out; around an onset nothing is. */
class OnsetViewTest {
  private static final Duration LENGTH = Duration.ofMinutes(5);
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
  private static final int DAYS = 30;
  private static final int WINDOWS = 288 * DAYS;

  private static WindowSummary window(Duration length, int number) {
    return WindowSummary.newBuilder(
            io.servedrift.monitors.pane.WindowStatistics.summary(
                    io.servedrift.monitors.pane.ValueDistribution.of(
                        new MetricLayouts().layoutOf("latency"), new double[] {1}),
                    io.servedrift.monitors.pane.TailSketch.empty(),
                    .95)
                .setDeployment("image-gen")
                .setModelId("m1")
                .setConfigId("c1")
                .setMetric("latency")
                .setStart(START.plus(length.multipliedBy(number)))
                .setEnd(START.plus(length.multipliedBy(number + 1)))
                .build())
        .setP99State(QuantileState.INSUFFICIENT)
        .setDigest((ByteBuffer) null)
        .build();
  }

  private static ObjectNode finding(Instant onset, Instant detected) throws IOException {
    ObjectNode body =
        (ObjectNode)
            new ObjectMapper()
                .readTree(
                    """
                    {"finding_id":"f","deployment":"image-gen","model_id":"m1","config_id":"c1",
                     "metric":"latency","statistic":"tail","state":"open","severity":"page"}
                    """);
    return body.put("onset_at", onset.toString()).put("detected_at", detected.toString());
  }

  @Test
  void holdsEveryWindowAroundTheOnset_howeverLongTheRun() throws IOException {
    RunRecorder run = new RunRecorder(new MetricLayouts(), any -> true);
    int onset = 288 * 20 + 100;
    for (int number = 0; number < WINDOWS; number++) {
      run.window(window(LENGTH, number));
      if (number % 12 == 11) {
        run.window(window(Duration.ofHours(1), number / 12));
      }
      if (number == onset + 10) {
        Instant began = START.plus(LENGTH.multipliedBy(onset));
        run.finding(finding(began, began.plus(Duration.ofMinutes(50))), began);
      }
    }
    OnsetView view = run.findings().get("f").onsetView();
    ObjectNode shown = JsonNodeFactory.instance.objectNode();
    view.describe(shown);
    assertThat(shown.path("window_seconds").asDouble()).isEqualTo(300);
    List<Long> starts =
        java.util.stream.StreamSupport.stream(shown.path("points").spliterator(), false)
            .map(point -> point.path("start").asLong())
            .toList();
    assertThat(starts).hasSize(72).isSorted().doesNotHaveDuplicates();
    long first = START.plus(LENGTH.multipliedBy(onset - 36)).toEpochMilli();
    assertThat(starts.get(0)).isEqualTo(first);
    assertThat(starts.get(71)).isEqualTo(first + 71 * LENGTH.toMillis());
  }

  @Test
  void isBounded_whenAShiftIsFoundLate() throws IOException {
    OnsetView view = new OnsetView(LENGTH, START, START.plus(Duration.ofDays(9)));
    for (int number = 0; number < WINDOWS; number++) {
      view.add(WindowPoint.of(window(LENGTH, number)));
    }
    ObjectNode shown = JsonNodeFactory.instance.objectNode();
    view.describe(shown);
    assertThat(shown.path("points")).hasSize(240);
  }

  @Test
  void isNone_whenNoWindowOfTheSeriesIsKept() throws IOException {
    RunRecorder run = new RunRecorder(new MetricLayouts(), any -> true);
    run.finding(finding(START, START), START);
    assertThat(run.findings().get("f").onsetView()).isNull();
  }
}
