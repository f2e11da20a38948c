package io.servedrift.monitors.pane;

import static io.servedrift.monitors.pane.TestEvents.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.servedrift.schemas.avro.ArrivalCount;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What stage 2 does with parts that do not fit. */
class DeploymentAggregatorTest {
  private final Recorder out = new Recorder();
  private final Tally tally = new Tally();
  private final TreeMap<String, byte[]> journal = new TreeMap<>();
  private final StateJournal kept =
      new StateJournal() {
        @Override
        public void put(String key, Supplier<byte[]> value) {
          journal.put(key, value.get());
        }

        @Override
        public void delete(String key) {
          journal.remove(key);
        }
      };

  private DeploymentAggregator aggregator(PaneSettings settings, MetricLayouts layouts) {
    return new DeploymentAggregator(settings, layouts, out, kept, tally);
  }

  private static PaneSummary part(String metric, HistogramLayout layout, double... values) {
    return PaneSummary.newBuilder()
        .setSourcePartition(0)
        .setDeployment("image-gen")
        .setModelId("m1")
        .setConfigId("c1")
        .setMetric(metric)
        .setKind(PaneKind.LATENCY)
        .setStart(START)
        .setEnd(START.plusSeconds(60))
        .setTotal(ValueDistribution.of(layout, values).toAvro())
        .setCells(List.of())
        .setFolded(Map.of())
        .setArrivals(List.of())
        .setExemplars(List.of())
        .build();
  }

  private static Watermark through(Duration sinceStart) {
    Instant at = START.plus(sinceStart);
    return new Watermark(0, 1, at, at);
  }

  @Test
  void refusesAPartThatCannotBeMerged_andGoesOn() {
    DeploymentAggregator stage2 = aggregator(PaneSettings.defaults(), new MetricLayouts());
    PaneSummary wrongLayout = part("latency", HistogramLayout.binary(), 1);
    assertThatThrownBy(() -> stage2.accept(wrongLayout))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("layout");
    PaneSummary wrongLength = part("latency", HistogramLayout.DURATIONS, 1);
    wrongLength.setEnd(START.plusSeconds(61));
    assertThatThrownBy(() -> stage2.accept(wrongLength))
        .isInstanceOf(IllegalArgumentException.class);
    stage2.accept(part("latency", HistogramLayout.DURATIONS, 2, 3));
    stage2.accept(through(Duration.ofMinutes(5)));
    assertThat(out.windows)
        .filteredOn(window -> window.getConfigId().equals("c1"))
        .singleElement()
        .satisfies(window -> assertThat(window.getN()).isEqualTo(2));
  }

  @Test
  void mergesArrivals_andRefusesThoseThatAreNotOfItsRequests() {
    DeploymentAggregator stage2 = aggregator(PaneSettings.defaults(), new MetricLayouts());
    PaneSummary errors = part("error_ratio", HistogramLayout.binary(), 0, 0, 1);
    errors.setArrivals(List.of(arrived(-60, 1), arrived(0, 1)));
    assertThatThrownBy(() -> stage2.accept(errors))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 of 3 requests are missing");
    errors.setArrivals(List.of(arrived(-60, 4)));
    assertThatThrownBy(() -> stage2.accept(errors)).isInstanceOf(IllegalArgumentException.class);
    errors.setArrivals(List.of(arrived(60, 3)));
    assertThatThrownBy(() -> stage2.accept(errors)).isInstanceOf(IllegalArgumentException.class);
    PaneSummary latency = part("latency", HistogramLayout.DURATIONS, 1, 2, 3);
    latency.setArrivals(List.of(arrived(0, 3)));
    assertThatThrownBy(() -> stage2.accept(latency)).isInstanceOf(IllegalArgumentException.class);

    errors.setArrivals(List.of(arrived(-60, 1), arrived(0, 2)));
    PaneSummary elsewhere = part("error_ratio", HistogramLayout.binary(), 0, 1);
    elsewhere.setConfigId("c2");
    elsewhere.setArrivals(List.of(arrived(-120, 1), arrived(-60, 1)));
    stage2.accept(errors);
    stage2.accept(elsewhere);
    stage2.accept(through(Duration.ofMinutes(1)));
    long start = ServedRequest.micros(START);
    assertThat(out.panes)
        .singleElement()
        .satisfies(
            pane ->
                assertThat(pane.arrivals())
                    .containsExactly(
                        entry(start - 120_000_000, 1L),
                        entry(start - 60_000_000, 2L),
                        entry(start, 2L)));
  }

  private static ArrivalCount arrived(int secondsAfterStart, long count) {
    return new ArrivalCount(START.plusSeconds(secondsAfterStart), count);
  }

  @Test
  void refusesWhatStage1DoesNotWrite_andGoesOn() {
    DeploymentAggregator aggregator = aggregator(PaneSettings.defaults(), new MetricLayouts());
    PaneSummary good = part("latency", HistogramLayout.DURATIONS, 2, 3);
    PaneSummary nameless = PaneSummary.newBuilder(good).setKind(PaneKind.UNKNOWN).build();
    assertThatThrownBy(() -> aggregator.accept(nameless))
        .isInstanceOf(UnusablePaneException.class)
        .hasMessage("pane kind UNKNOWN: must be LATENCY or SCORE");
    assertThatThrownBy(() -> aggregator.accept(TestEvents.tick(START)))
        .isInstanceOf(UnusablePaneException.class)
        .hasMessageContaining("record Tick");
    assertThat(journal).isEmpty();
    aggregator.accept(good);
    aggregator.accept(through(Duration.ofMinutes(1)));
    assertThat(tally.get("panes_merged")).isEqualTo(1);
  }

  @Test
  void leavesOutWhatNoLongerFits_whenSettingsChangedBetweenRestarts() {
    DeploymentAggregator before = aggregator(PaneSettings.defaults(), new MetricLayouts());
    before.accept(part("latency", HistogramLayout.DURATIONS, 2, 3));
    before.accept(through(Duration.ofMinutes(1)));
    assertThat(journal.keySet()).anyMatch(key -> key.startsWith("roll/"));
    PaneSettings defaults = PaneSettings.defaults();
    PaneSettings shorter =
        new PaneSettings(
            defaults.pane(),
            List.of(Duration.ofMinutes(10)),
            defaults.grace(),
            defaults.scoreGrace(),
            defaults.horizon(),
            defaults.futureLimit(),
            defaults.maxHeld(),
            defaults.seriesLimit(),
            defaults.cellLimit(),
            defaults.classLimit());
    DeploymentAggregator after = aggregator(shorter, new MetricLayouts());
    after.restore(new TreeMap<>(journal));
    after.accept(through(Duration.ofMinutes(10)));
    assertThat(out.windows).isEmpty();
    assertThat(tally.get("journal_dropped")).isEqualTo(2);
    assertThat(journal.keySet()).noneMatch(key -> key.startsWith("roll/"));
  }
}
