package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.CellPane.JointCell;
import io.servedrift.monitors.baseline.CellPane.MarginCell;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.PaneHistory;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.testkit.ReferenceTraffic;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PaneHistoryTest {
  private static final long MINUTE = 60_000_000;
  private static final HistogramLayout SCORES = HistogramLayout.linear(-1, 1, 2048);

  private static ValueDistribution bins(HistogramLayout layout, double... values) {
    return ValueDistribution.of(layout, values, ValueDistribution.Detail.BINS);
  }

  private static PaneHistory filled(HistogramLayout layout, List<CellPane> panes, long budget) {
    PaneHistory history = new PaneHistory(layout, MINUTE, budget);
    panes.forEach(history::append);
    return history;
  }

  private static CellPane pane(int minute, HistogramLayout layout, double... values) {
    return new CellPane(
        minute * MINUTE,
        minute / 3.0,
        List.of(new JointCell("portrait", "hit", "1", "no", bins(layout, values))));
  }

  @Test
  void givesBackEveryPane_asItWas() {
    SplittableRandom random = new SplittableRandom(7);
    for (HistogramLayout layout :
        List.of(
            SCORES,
            HistogramLayout.DURATIONS,
            HistogramLayout.OPEN_SCORES,
            HistogramLayout.binary())) {
      List<CellPane> panes = new ArrayList<>();
      for (int minute = 0; minute < 200; minute++) {
        List<JointCell> cells = new ArrayList<>();
        List<ValueDistribution> all = new ArrayList<>();
        for (int cell = 0; cell < 1 + minute % 5; cell++) {
          double[] values = new double[1 + random.nextInt(6) * random.nextInt(6)];
          for (int i = 0; i < values.length; i++) {
            values[i] = value(random, layout, minute);
          }
          ValueDistribution cellValues = bins(layout, values);
          cells.add(new JointCell("class " + cell, "hit", "2-3", "unknown", cellValues));
          all.add(cellValues);
        }
        ValueDistribution total = ValueDistribution.merge(all);
        List<MarginCell> margins = new ArrayList<>();
        margins.add(new MarginCell("adapters", "none", total));
        for (int i = 0; i < all.size(); i++) {
          margins.add(new MarginCell("node", "n" + i, all.get(i)));
        }
        // Known of some requests only: neither everything nor a part of a whole.
        margins.add(new MarginCell("prefix_tier", "host", all.get(0)));
        panes.add(new CellPane(minute * MINUTE, random.nextDouble(), cells, margins));
      }
      assertThat(filled(layout, panes, 100_000_000).panes()).as(layout.id()).isEqualTo(panes);
    }
  }

  /** Floats, decimals, arbitrary doubles and numbers far beyond any range, by turns. */
  private static double value(SplittableRandom random, HistogramLayout layout, int minute) {
    if (layout.isBinary()) {
      return random.nextInt(2);
    }
    return switch (minute % 5) {
      case 0 -> (float) random.nextDouble(0.1, 0.5);
      case 1 -> random.nextInt(1_000_000) / 1e6;
      case 2 -> random.nextDouble(-1, 1);
      case 3 -> random.nextInt(4) == 0 ? 0 : -random.nextDouble() * 1e14;
      default -> random.nextDouble() * 1e-12;
    };
  }

  @Test
  void countsTheSame_fromRememberedPanes() {
    ReferenceTraffic traffic = ReferenceTraffic.of(5, 1, Regime.REAL, 60);
    for (SimulatedSeries series :
        List.of(SimulatedSeries.clip(traffic), SimulatedSeries.latency(traffic))) {
      HistogramLayout layout = series.panes().get(0).cells().get(0).values().layout();
      List<CellPane> remembered = filled(layout, series.panes(), 100_000_000).panes();
      assertThat(remembered).isEqualTo(series.panes());
      FamilySpec spec = layout.equals(SCORES) ? FamilySpec.scoreMean() : FamilySpec.durationTail();
      Baseline before = BaselineLearner.learn(spec, layout, series.panes(), MINUTE);
      Baseline after = BaselineLearner.learn(spec, layout, remembered, MINUTE);
      assertThat(after.id()).isEqualTo(before.id());
      PaneCutter cutter = new PaneCutter(before);
      assertThat(remembered.stream().map(cutter::cut).toList())
          .isEqualTo(series.panes().stream().map(cutter::cut).toList());
    }
  }

  @Test
  void takesAFewBytesPerValue_atFourRequestsASecond() {
    ReferenceTraffic traffic = ReferenceTraffic.of(5, 1, Regime.REAL, 240);
    for (SimulatedSeries series :
        List.of(SimulatedSeries.clip(traffic), SimulatedSeries.latency(traffic))) {
      HistogramLayout layout = series.panes().get(0).cells().get(0).values().layout();
      PaneHistory history = filled(layout, series.panes(), 100_000_000);
      double perValue = history.usedBytes() / (double) history.n();
      assertThat(perValue).isBetween(1.0, 5.0);
    }
  }

  /** A configuration a day would fill the dictionary of keys within weeks. */
  @Test
  void keepsNewKeysApart_afterMoreThanItsDictionaryHolds_overTime() {
    int day = 24 * 60;
    PaneHistory history = new PaneHistory(SCORES, MINUTE, 100_000_000);
    for (int number = 0; number < 60; number++) {
      for (int hour = 0; hour < 24; hour++) {
        List<JointCell> cells = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
          String name = "m@config-" + number + " / class " + i;
          cells.add(new JointCell(name, "hit", "1", "no", bins(SCORES, .3, .31)));
        }
        int minute = number * day + hour * 60;
        CellPane pane = new CellPane(minute * MINUTE, 1, cells);
        history.append(pane);
        assertThat(history.panes(minute * MINUTE, Long.MAX_VALUE)).containsExactly(pane);
        history.dropBefore((minute - 2L * day) * MINUTE);
      }
    }
    // What is written and read again is the same, renewed keys and all.
    Content.Writer out = new Content.Writer();
    history.write(out);
    PaneHistory read = PaneHistory.read(new Content.Reader(out.bytes()));
    assertThat(read.panes()).isEqualTo(history.panes());
    // Three days of 150 keys each, and those of the days since the keys were renewed.
    assertThat(out.bytes().length).isLessThan(2_000_000);
  }

  @Test
  void thinsTheOlderHalf_whenOverTheBudget() {
    List<CellPane> panes = new ArrayList<>();
    for (int minute = 0; minute < 1000; minute++) {
      panes.add(pane(minute, SCORES, 0.3, 0.31, 0.32));
    }
    PaneHistory history = filled(SCORES, panes, 20_000);
    assertThat(history.usedBytes()).isLessThanOrEqualTo(20_000);
    assertThat(history.size()).isBetween(100, 999);
    assertThat(history.n()).isEqualTo(3L * history.size());
    assertThat(history.fromMicros()).isZero();
    assertThat(history.toMicros()).isEqualTo(1000 * MINUTE);
    List<Long> starts = history.panes().stream().map(CellPane::startMicros).toList();
    assertThat(starts).isSorted().doesNotHaveDuplicates();
    // The newest quarter is whole.
    List<Long> newest = starts.subList(starts.size() * 3 / 4, starts.size());
    assertThat(newest.get(newest.size() - 1) - newest.get(0))
        .isEqualTo((newest.size() - 1) * MINUTE);
    assertThat(filled(SCORES, panes, 20_000).panes()).isEqualTo(history.panes());
  }

  @Test
  void forgetsStretches_onDemand() {
    List<CellPane> panes = new ArrayList<>();
    for (int minute = 0; minute < 10; minute++) {
      panes.add(pane(minute, SCORES, 0.3));
    }
    PaneHistory history = filled(SCORES, panes.subList(0, 8), 10_000);
    List<CellPane> all = history.panes();
    assertThat(history.panes(3 * MINUTE, 5 * MINUTE)).isEqualTo(panes.subList(3, 5));
    assertThat(history.panes(5 * MINUTE, 3 * MINUTE)).isEmpty();
    history.dropBefore(2 * MINUTE);
    assertThat(history.panes()).isEqualTo(panes.subList(2, 8));
    assertThat(history.n()).isEqualTo(6);
    assertThat(history.fromMicros()).isEqualTo(2 * MINUTE);
    assertThat(history.toMicros()).isEqualTo(8 * MINUTE);
    // A list taken before is what was then.
    assertThat(all).isEqualTo(panes.subList(0, 8));
    history.append(panes.get(9));
    assertThat(history.size()).isEqualTo(7);
    assertThatThrownBy(() -> history.append(panes.get(9)))
        .hasMessage("pane 540000000: must start after the pane before, 540000000");
  }

  @Test
  void goesOn_fromWhatWasWritten() {
    List<CellPane> panes = new ArrayList<>();
    for (int minute = 0; minute < 300; minute++) {
      panes.add(pane(minute, SCORES, 0.3 + minute / 1e4, 0.25));
    }
    PaneHistory whole = filled(SCORES, panes, 6_000);
    Content.Writer middle = new Content.Writer();
    filled(SCORES, panes.subList(0, 150), 6_000).write(middle);
    Content.Reader in = new Content.Reader(middle.bytes());
    PaneHistory resumed = PaneHistory.read(in);
    in.end();
    panes.subList(150, 300).forEach(resumed::append);
    Content.Writer expected = new Content.Writer();
    whole.write(expected);
    Content.Writer actual = new Content.Writer();
    resumed.write(actual);
    assertThat(actual.bytes()).isEqualTo(expected.bytes());
    assertThatThrownBy(
            () -> PaneHistory.read(new Content.Reader(Arrays.copyOf(middle.bytes(), 500))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
