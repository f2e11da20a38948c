package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.testkit.ReferenceTraffic;
import io.servedrift.monitors.testkit.ReferenceTraffic.Change;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FamilyDetectorTest {
  private static final int REFERENCE = ReferenceTraffic.REFERENCE_MINUTES;
  private static final int CHANGE = REFERENCE + 1440;
  private static final double ALERT = 1e6;
  private static final ReferenceTraffic TRAFFIC = ReferenceTraffic.of(11, 10, Regime.REAL, 20);
  private static final SimulatedSeries QUIET = SimulatedSeries.clip(TRAFFIC);
  private static final Baseline BASELINE = QUIET.baseline(FamilySpec.scoreMean(), REFERENCE);
  private static final List<PaneCounts> PANES = QUIET.counts(BASELINE, REFERENCE);

  /** Minutes from the change to the alert; -1 for none. */
  private static int delay(List<PaneCounts> panes, int changeAt) {
    FamilyDetector detector = new FamilyDetector(BASELINE);
    for (int i = 0; i < panes.size(); i++) {
      if (detector.next(panes.get(i)).statistic() >= ALERT) {
        return i - changeAt;
      }
    }
    return -1;
  }

  /** The panes with every value of a stratum moved from a pane on. */
  private static List<PaneCounts> shifted(List<PaneCounts> panes, int from, double by) {
    List<PaneCounts> moved = new ArrayList<>(panes.subList(0, from));
    for (PaneCounts pane : panes.subList(from, panes.size())) {
      PaneCounts.Builder builder =
          new PaneCounts.Builder(pane.startMicros(), pane.load(), pane.classes(), 0);
      for (Stratum stratum : Stratum.all()) {
        for (int g = 0; g < pane.classes(); g++) {
          double n = pane.n(stratum, g);
          double sum = pane.sum(stratum, g);
          builder.add(
              stratum,
              g,
              n,
              sum + by * n,
              pane.sumSquares(stratum, g) + 2 * by * sum + by * by * n);
        }
      }
      moved.add(builder.build());
    }
    return moved;
  }

  @Test
  void staysQuiet_whenNothingShifts() {
    assertThat(delay(PANES, 0)).isEqualTo(-1);
  }

  @Test
  void alarmsSooner_whenTheShiftIsLarger() {
    int small = delay(shifted(PANES, 600, -0.006), 600);
    int medium = delay(shifted(PANES, 600, -0.012), 600);
    int large = delay(shifted(PANES, 600, -0.03), 600);
    assertThat(List.of(large, medium, small)).isSorted().allMatch(delay -> delay > 0);
    assertThat(large).isLessThan(small);
    assertThat(delay(shifted(PANES, 600, 0.03), 600)).isBetween(1, 60);
  }

  @Test
  void staysQuiet_whenTheShiftIsBelowTheFloor() {
    // The floor is a tenth of a standard deviation of 0.03 for all traffic, twice that in strata.
    assertThat(delay(shifted(PANES, 600, -0.0015), 600)).isEqualTo(-1);
  }

  @Test
  void namesStratumAndOnset_whenHitsLoseQuality() {
    SimulatedSeries series = SimulatedSeries.clip(TRAFFIC.with(Change.CACHE_CLIP, CHANGE));
    List<PaneCounts> panes = series.counts(BASELINE, REFERENCE);
    FamilyDetector detector = new FamilyDetector(BASELINE);
    int at = 0;
    while (detector.next(panes.get(at)).statistic() < ALERT) {
      at++;
    }
    long changeMicros = CHANGE * SimulatedSeries.PANE_MICROS;
    assertThat(panes.get(at).startMicros() - changeMicros)
        .isBetween(0L, 180 * SimulatedSeries.PANE_MICROS);
    FamilyDetector.Evidence top = detector.top(3).get(0);
    assertThat(top.calibration().track().stratum()).isEqualTo(Stratum.HIT);
    assertThat(top.sign()).isEqualTo(-1);
    assertThat(top.share()).isBetween(0.1, 1.0);
    Optional<Shift> shift = detector.shift(top.calibration());
    assertThat(shift).isPresent();
    assertThat(shift.get().earliestMicros()).isLessThanOrEqualTo(shift.get().onsetMicros());
    assertThat(shift.get().latestMicros()).isGreaterThanOrEqualTo(shift.get().onsetMicros());
    assertThat(Math.abs(shift.get().onsetMicros() - changeMicros))
        .isLessThan(30 * SimulatedSeries.PANE_MICROS);
    assertThat(shift.get().effect()).isBetween(-0.028, -0.012);
    assertThat(shift.get().lower()).isLessThan(-0.02);
    assertThat(shift.get().upper()).isGreaterThan(-0.02);
    assertThat(shift.get().exceeds(top.calibration().floor())).isTrue();
  }

  @Test
  void findsLargeBatches_whenTheirTailStalls() {
    ReferenceTraffic busy = ReferenceTraffic.of(12, 9, Regime.REAL, 60);
    SimulatedSeries series = SimulatedSeries.latency(busy.with(Change.BATCH_P99, CHANGE));
    Baseline baseline = series.baseline(FamilySpec.durationTail(), REFERENCE);
    FamilyDetector detector = new FamilyDetector(baseline);
    List<PaneCounts> panes = series.counts(baseline, REFERENCE);
    int at = 0;
    while (detector.next(panes.get(at)).statistic() < ALERT) {
      at++;
    }
    assertThat(at).isGreaterThan(CHANGE - REFERENCE);
    FamilyDetector.Evidence top = detector.top(1).get(0);
    assertThat(top.calibration().track().stratum()).isEqualTo(Stratum.BATCH_8_UP);
    Shift shift = detector.shift(top.calibration()).orElseThrow();
    assertThat(shift.relative()).isTrue();
    assertThat(shift.lower()).isGreaterThan(1);
    assertThat(shift.effect()).isBetween(shift.lower(), shift.upper());
  }

  @Test
  void keepsTheEvidence_whenPanesAreMissing() {
    FamilyDetector detector = new FamilyDetector(BASELINE);
    List<PaneCounts> panes = shifted(PANES, 100, -0.01);
    for (PaneCounts pane : panes.subList(0, 115)) {
      detector.next(pane);
    }
    double before = detector.statistic();
    PaneCounts.Builder empty =
        new PaneCounts.Builder(panes.get(115 + 13 * 60).startMicros(), panes.get(114).load(), 4, 0);
    assertThat(detector.next(empty.build()).statistic()).isEqualTo(before);
  }

  /** What a detector says of panes at twice the highest load of its baseline. */
  private static FamilyDetector beyondTheLoads(Baseline baseline, List<PaneCounts> panes) {
    double beyond = baseline.table().cuts().highest() * 2;
    FamilyDetector detector = new FamilyDetector(baseline);
    for (PaneCounts pane : panes) {
      PaneCounts.Builder builder =
          new PaneCounts.Builder(pane.startMicros(), beyond, pane.classes(), 0);
      for (Stratum stratum : Stratum.all()) {
        for (int g = 0; g < pane.classes(); g++) {
          builder.add(
              stratum, g, pane.n(stratum, g), pane.sum(stratum, g), pane.sumSquares(stratum, g));
        }
      }
      assertThat(detector.next(builder.build()).outOfSupport()).isTrue();
    }
    return detector;
  }

  @Test
  void judgesContrastsOnly_whenADurationIsOutOfSupport() {
    SimulatedSeries latency = SimulatedSeries.latency(TRAFFIC);
    Baseline baseline = latency.baseline(FamilySpec.durationMean(), REFERENCE);
    FamilyDetector detector =
        beyondTheLoads(baseline, shifted(latency.counts(baseline, REFERENCE), 0, 0.3));
    // All moved alike: contrasts see nothing, and means may not say what they see.
    assertThat(detector.statistic()).isLessThan(ALERT);
    assertThat(detector.top(20))
        .filteredOn(one -> one.calibration().track().contrast() == null)
        .allMatch(one -> one.statistic() == 0);
    assertThat(detector.top(20))
        .filteredOn(one -> one.calibration().track().contrast() != null)
        .anyMatch(one -> one.statistic() > 0);
  }

  @Test
  void judgesTheMeanToo_whenAScoreIsOutOfSupport() {
    FamilyDetector quiet = beyondTheLoads(BASELINE, PANES.subList(0, 600));
    assertThat(quiet.statistic()).isLessThan(ALERT);
    FamilyDetector moved = beyondTheLoads(BASELINE, shifted(PANES.subList(0, 600), 0, -0.03));
    assertThat(moved.statistic()).isGreaterThan(ALERT);
    assertThat(moved.top(1).get(0).calibration().track().contrast()).isNull();
  }

  @Test
  void goesOnAsBefore_whenRestoredFromItsState() {
    FamilyDetector whole = new FamilyDetector(BASELINE);
    FamilyDetector cut = new FamilyDetector(Baseline.decode(BASELINE.encode()));
    for (int i = 0; i < 2000; i++) {
      whole.next(PANES.get(i));
      if (i == 997) {
        byte[] state = cut.encodeState();
        cut = FamilyDetector.decodeState(BASELINE, state);
        assertThat(cut.encodeState()).isEqualTo(state);
      }
      cut.next(PANES.get(i));
    }
    assertThat(cut.encodeState()).isEqualTo(whole.encodeState());
    assertThat(cut.statistic()).isEqualTo(whole.statistic());
  }

  @Test
  void refusesState_ofAnotherBaseline() {
    Baseline other = QUIET.baseline(FamilySpec.scoreMean(), REFERENCE - 1);
    byte[] state = new FamilyDetector(other).encodeState();
    assertThatThrownBy(() -> FamilyDetector.decodeState(BASELINE, state))
        .hasMessageContaining(other.id())
        .hasMessageContaining(BASELINE.id());
  }

  @Test
  void refusesPanes_outOfOrder() {
    FamilyDetector detector = new FamilyDetector(BASELINE);
    detector.next(PANES.get(1));
    assertThatThrownBy(() -> detector.next(PANES.get(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must start after");
  }

  @Test
  void startsOver_afterARestart() {
    FamilyDetector detector = new FamilyDetector(BASELINE);
    shifted(PANES, 0, -0.03).subList(0, 100).forEach(detector::next);
    assertThat(detector.statistic()).isGreaterThan(ALERT);
    detector.restart();
    assertThat(detector.statistic()).isZero();
  }

  @Test
  void clears_whenTheShiftIsGone() {
    var overall = BASELINE.tracks().get(0);
    Recovery still = new Recovery(BASELINE, overall, -1, 0.01);
    Recovery gone = new Recovery(BASELINE, overall, -1, 0.01);
    List<PaneCounts> low = shifted(PANES, 0, -0.02);
    int cleared = -1;
    for (int i = 0; i < 600; i++) {
      assertThat(still.next(low.get(i))).isFalse();
      if (gone.next(PANES.get(i)) && cleared < 0) {
        cleared = i;
      }
    }
    assertThat(cleared).isBetween(5, 120);
  }
}
