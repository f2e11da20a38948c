package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How loudly a latency is told that moved in large batches only. */
class SeverityRuleTest {
  private static final HistogramLayout DURATIONS = HistogramLayout.DURATIONS;
  private static final int HOURS_4 = 240;
  private static final int DAY_AND_HALF = 2160;
  private static final int WINDOW = 60;

  /** Scores stand for the rest of the series; what is asked is that it is one of durations. */
  private static final class Durations extends OneSeries {
    Durations() {
      super("metrics: {clip: {worse: up}}", "c");
    }

    @Override
    public boolean duration() {
      return true;
    }
  }

  private final SplittableRandom random = new SplittableRandom(11);
  private final OneSeries series = new Durations();

  private CellPane pane(int minute, double large) {
    return new CellPane(
        OneSeries.at(minute),
        60,
        List.of(cell("1", 45, .3), cell("8-15", 15, .6 * large)),
        List.of());
  }

  private CellPane.JointCell cell(String batch, int requests, double median) {
    double[] values =
        IntStream.range(0, requests)
            .mapToDouble(i -> median * Math.exp(.15 * random.nextGaussian()))
            .toArray();
    return new CellPane.JointCell(
        "a", "miss", batch, "no", ValueDistribution.of(DURATIONS, values));
  }

  /** Severity of a finding about large batches that take some times as long as they did. */
  private Severity severity(Basis basis, int reference, double large) {
    Reference learned =
        Reference.of(
            basis,
            Group.of(series.key()),
            "",
            FamilySpec.durationTail(),
            DURATIONS,
            IntStream.range(0, reference).mapToObj(minute -> pane(minute, 1)).toList(),
            Micros.MINUTE);
    FamilyDetector detector = new FamilyDetector(learned.baseline());
    PaneCutter cutter = new PaneCutter(learned.baseline());
    List<CellPane> panes = new ArrayList<>();
    List<PaneCounts> counts = new ArrayList<>();
    for (int minute = reference; minute < reference + WINDOW; minute++) {
      panes.add(pane(minute, large));
      counts.add(cutter.cut(panes.get(panes.size() - 1)));
      detector.next(counts.get(counts.size() - 1));
    }
    FamilyDetector.Evidence lead =
        detector.top(Integer.MAX_VALUE).stream()
            .filter(one -> one.calibration().track().stratum() == Stratum.BATCH_8_UP)
            .filter(one -> one.calibration().track().level() >= 2)
            .findFirst()
            .orElseThrow();
    long onset = panes.get(0).startMicros();
    Shift shift = new Shift(onset, onset, onset, 2, 1.5, 3, true, false);
    OpenFinding finding =
        OpenFinding.opening(series, learned, lead, shift, 1, panes.get(WINDOW - 1));
    return new SeverityRule(series, learned)
        .of(finding, Cause.BATCHING, new ShiftWindow(panes, counts), false, lead);
  }

  @Test
  void isInfo_whileTheBaselineIsYoungAndAllRequestsDidNotSurelyMove() {
    assertThat(severity(Basis.LEARNED, HOURS_4, 1)).isEqualTo(Severity.INFO);
  }

  @Test
  void isATicket_onceAllRequestsMoved() {
    assertThat(severity(Basis.LEARNED, HOURS_4, 3)).isEqualTo(Severity.TICKET);
  }

  @Test
  void isATicket_whenTheBaselineKnowsADay_orWasPinned() {
    assertThat(severity(Basis.LEARNED, DAY_AND_HALF, 1)).isEqualTo(Severity.TICKET);
    assertThat(severity(Basis.PINNED, HOURS_4, 1)).isEqualTo(Severity.TICKET);
  }
}
