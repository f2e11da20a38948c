package io.servedrift.monitors.pane;

import static io.servedrift.monitors.pane.TestEvents.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Watermark;
import io.servedrift.schemas.avro.WindowSummary;
import io.servedrift.schemas.avro.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/**
 * A flood of random configurations, prompt classes and deployments costs a bounded amount, and
 * loses no request.
 */
class BudgetTest {
  private static final int FLOOD = 100_000;

  /** A commit is made for many records, not for each: three seconds of this traffic. */
  private static final int COMMIT_EVERY = 1_000;

  private static final PaneSettings SETTINGS = PaneSettings.defaults();

  private final Recorder windows = new Recorder();
  private final Tally tally = new Tally();
  private final DeploymentAggregator stage2 =
      new DeploymentAggregator(SETTINGS, new MetricLayouts(), windows, StateJournal.NONE, tally);
  private int mostSummariesPerPane;
  private int mostCells;
  private int mostBytes;
  private int summaries;
  private final PartitionAggregator stage1 =
      new PartitionAggregator(0, 1, SETTINGS, new MetricLayouts(), new Measure(), tally, true);

  @Test
  void boundsWhatAPaneAndAWindowHold_underAFloodOfConfigurationsAndClasses() {
    // Half of the traffic is one configuration: the flood must not push it out.
    for (int i = 0; i < 2 * FLOOD; i++) {
      Instant at = START.plusMillis(i * 3L);
      RequestEvent event = TestEvents.request("r" + i, at, 1 + i % 7);
      event.setConfigId(i % 2 == 0 ? "real" : "random-" + i);
      Workload workload = new Workload();
      workload.setAdapters(List.of());
      workload.setPromptClass(i % 2 == 0 ? "portrait" : "random-" + i);
      event.setWorkload(workload);
      event.setNode(i % 2 == 0 ? "gpu-0" : "random-" + i);
      stage1.accept(Channel.REQUESTS, event, "test", null);
      if ((i + 1) % COMMIT_EVERY == 0) {
        stage1.drain();
        stage1.obsolete();
      }
    }
    stage1.accept(
        Channel.REQUESTS, TestEvents.tick(START.plus(Duration.ofHours(26))), "test", null);

    int partitionGroups = SETTINGS.seriesLimit() * PaneBuilder.SLACK + 1;
    assertThat(mostSummariesPerPane).isLessThanOrEqualTo(2 * partitionGroups);
    // Joint cells, their rest, and per open-ended margin its classes, `other` and `unknown`.
    assertThat(mostCells)
        .isLessThanOrEqualTo(
            SETTINGS.cellLimit() * PaneBuilder.SLACK
                + 1
                + Covariate.all().size() * (SETTINGS.classLimit() * PaneBuilder.SLACK + 2));
    assertThat(mostBytes).isLessThan(4 * 1024 * 1024);

    for (WindowSummary window : windows.windows) {
      assertThat(window.getN()).isPositive();
    }
    List<WindowSummary> day =
        windows.windows.stream()
            .filter(
                window ->
                    Duration.between(window.getStart(), window.getEnd())
                        .equals(Duration.ofHours(24)))
            .filter(window -> window.getMetric().equals("latency"))
            .toList();
    Set<String> configs = new HashSet<>();
    long counted = 0;
    for (WindowSummary window : day) {
      configs.add(window.getConfigId());
      if (!window.getConfigId().equals("*")) {
        counted += window.getN();
      }
    }
    assertThat(configs)
        .contains("real", "other", "*")
        .hasSizeLessThanOrEqualTo(SETTINGS.seriesLimit() + 2);
    assertThat(counted).isEqualTo(2 * FLOOD);
    assertThat(day)
        .filteredOn(window -> window.getConfigId().equals("real"))
        .singleElement()
        .satisfies(window -> assertThat(window.getN()).isEqualTo(FLOOD));
    for (MergedPane pane : windows.panes) {
      assertThat(pane.series()).hasSizeLessThanOrEqualTo(2 * (SETTINGS.seriesLimit() + 2));
      for (MergedPane.Series series : pane.series()) {
        long classes =
            series.cells().keySet().stream()
                .flatMap(List::stream)
                .filter(bucket -> bucket.startsWith("prompt_class="))
                .distinct()
                .count();
        assertThat(classes).isLessThanOrEqualTo(SETTINGS.classLimit() + 1);
        assertThat(series.cells().keySet().stream().filter(Cells::isJoint).count())
            .isLessThanOrEqualTo(SETTINGS.cellLimit() + 1L);
      }
    }
    assertThat(tally.get("folded_series")).isPositive();
    assertThat(tally.get("folded_prompt_class")).isPositive();
    assertThat(tally.get("folded_node")).isPositive();
  }

  @Test
  void boundsDeploymentsAndMetrics() {
    for (int i = 0; i < 5_000; i++) {
      RequestEvent event = TestEvents.request("r" + i, START.plusMillis(i * 10L), 2);
      event.setDeployment("random-" + i);
      event.setStageSeconds(java.util.Map.of("stage-" + i, 1.0));
      stage1.accept(Channel.REQUESTS, event, "test", null);
    }
    stage1.accept(Channel.REQUESTS, TestEvents.tick(START.plus(Duration.ofHours(1))), "test", null);
    assertThat(mostSummariesPerPane)
        .isLessThanOrEqualTo((PaneBuilder.DEPLOYMENT_LIMIT + 1) * 3 + PaneBuilder.METRIC_LIMIT);
    assertThat(tally.get("folded_deployment")).isPositive();
    assertThat(tally.get("folded_metric")).isPositive();
  }

  /** Passes panes on as the wire would, and measures them. */
  private final class Measure implements PaneSink {
    @Override
    public void pane(PaneSummary summary) {
      byte[] bytes = EventCodec.encode(summary);
      summaries++;
      mostCells = Math.max(mostCells, summary.getCells().size());
      mostBytes = Math.max(mostBytes, bytes.length);
      stage2.accept(EventCodec.decode(bytes));
    }

    @Override
    public void watermark(Watermark watermark) {
      mostSummariesPerPane = Math.max(mostSummariesPerPane, summaries);
      summaries = 0;
      stage2.accept((SpecificRecord) watermark);
    }

    @Override
    public void correction(io.servedrift.schemas.avro.Correction correction) {
      throw new AssertionError("no record is late here");
    }

    @Override
    public void rejected(
        io.servedrift.schemas.Reading.Rejected why,
        String origin,
        byte[] payload,
        long eventMicros) {
      throw new AssertionError(why.detail());
    }
  }
}
