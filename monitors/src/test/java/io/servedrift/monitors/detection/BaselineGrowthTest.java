package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineGrowth;
import io.servedrift.monitors.baseline.BaselineGrowth.Step;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
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
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Growth from a cold start: small samples of larger simulations, and two series that alarmed before
 * slow wandering and the slope of the load were allowed for.
 */
class BaselineGrowthTest {
  private static final long MINUTE = SimulatedSeries.PANE_MICROS;
  private static final HistogramLayout SCORES = HistogramLayout.linear(-1, 1, 2048);
  private static final BaselineGrowth GROWTH = new BaselineGrowth(BaselineGrowth.Settings.DEFAULT);

  /** Level of a deployment with ten families and one false alarm a month. */
  private static final double TEN_FAMILIES = 4.3e5;

  private static final int ONSET = 130;

  private static CellPane pane(int minute, int values) {
    double[] all = new double[values];
    Arrays.fill(all, 0.3);
    return new CellPane(
        minute * MINUTE,
        values,
        List.of(
            new CellPane.JointCell(
                "portrait",
                "hit",
                "1",
                "no",
                ValueDistribution.of(SCORES, all, ValueDistribution.Detail.BINS))));
  }

  private static PaneHistory history(int minutes, int perMinute) {
    PaneHistory history = new PaneHistory(SCORES, MINUTE, 10_000_000);
    for (int minute = 0; minute < minutes; minute++) {
      history.append(pane(minute, perMinute));
    }
    return history;
  }

  /** A fit of a whole history, its first ten minutes left out. */
  private record Fit(long fromMicros, long toMicros, long lengthMicros, boolean last) {}

  private static Optional<Fit> due(PaneHistory history, long fittedMicros, boolean suspicious) {
    long from = history.fromMicros() + BaselineGrowth.Settings.DEFAULT.warmUpMicros();
    long length = history.toMicros() - from;
    Optional<Step> step = GROWTH.due(length, history.n(), fittedMicros, suspicious);
    return step.map(
        one -> {
          long heldOut = one.heldOutMicros() / MINUTE * MINUTE;
          return new Fit(from, history.toMicros() - heldOut, length, one.last());
        });
  }

  private static List<Integer> fits(int minutes, int perMinute) {
    PaneHistory history = new PaneHistory(SCORES, MINUTE, 100_000_000);
    List<Integer> fits = new ArrayList<>();
    long fitted = 0;
    for (int minute = 0; minute < minutes; minute++) {
      history.append(pane(minute, perMinute));
      Optional<Fit> due = due(history, fitted, false);
      if (due.isPresent()) {
        fits.add(minute + 1);
        fitted = due.get().lengthMicros();
      }
    }
    return fits;
  }

  @Test
  void fitsMoreRarely_theOlderTheSeries() {
    assertThat(fits(400, 50)).containsExactly(40, 55, 78, 112, 163, 240, 355);
    // A thousand values take longer at five a minute.
    assertThat(fits(250, 5).get(0)).isEqualTo(200);
  }

  @Test
  void holdsOutTheNewestQuarter_atMostAnHour() {
    Fit first = due(history(40, 50), 0, false).orElseThrow();
    assertThat(first).isEqualTo(new Fit(10 * MINUTE, 33 * MINUTE, 30 * MINUTE, false));
    Fit later = due(history(1010, 50), 100 * MINUTE, false).orElseThrow();
    assertThat(later.toMicros()).isEqualTo(950 * MINUTE);
    Fit last = due(history(7 * 1440 + 10, 3), 5 * 1440 * MINUTE, false).orElseThrow();
    assertThat(last.last()).isTrue();
    assertThat(last.toMicros()).isEqualTo((7 * 1440 - 50) * MINUTE);
  }

  @Test
  void waitsWhileThereIsEvidence_butNotForEver() {
    assertThat(due(history(130, 50), 60 * MINUTE, false)).isPresent();
    assertThat(due(history(130, 50), 60 * MINUTE, true)).isEmpty();
    assertThat(due(history(249, 50), 60 * MINUTE, true)).isEmpty();
    assertThat(due(history(250, 50), 60 * MINUTE, true)).isPresent();
  }

  @Test
  void refusesSettings_outOfRange() {
    assertThatThrownBy(() -> new BaselineGrowth.Settings(MINUTE, 0, MINUTE, 0))
        .hasMessageContaining("leastValues=0");
    assertThatThrownBy(() -> new BaselineGrowth.Settings(2 * MINUTE, 1, MINUTE, 0))
        .hasMessageContaining("least=120000000, full=60000000");
  }

  /** Minute of the first alarm from a cold start; -1 for none. */
  private static int alarm(SimulatedSeries series, FamilySpec spec, double level) {
    PaneHistory history = new PaneHistory(series.layout(), MINUTE, 20_000_000);
    Optional<FamilyDetector> detector = Optional.empty();
    long fitted = 0;
    for (int minute = 0; minute < series.panes().size(); minute++) {
      CellPane pane = series.panes().get(minute);
      history.append(pane);
      detector.ifPresent(one -> one.next(new PaneCutter(one.baseline()).cut(pane)));
      double statistic = detector.map(FamilyDetector::statistic).orElse(0.0);
      Optional<Fit> due = due(history, fitted, statistic >= Math.sqrt(level));
      if (due.isPresent()) {
        fitted = due.get().lengthMicros();
        Baseline baseline =
            BaselineLearner.learn(
                spec,
                history.layout(),
                history.panes(due.get().fromMicros(), due.get().toMicros()),
                MINUTE);
        detector =
            Optional.of(
                DetectorFixtures.after(
                    baseline, history.panes(due.get().toMicros(), Long.MAX_VALUE)));
        statistic = detector.get().statistic();
      }
      if (statistic >= level) {
        return minute;
      }
    }
    return -1;
  }

  @Test
  void staysQuiet_fromAColdStartThroughTheFirstDay() {
    for (long seed : new long[] {1002, 1005}) {
      ReferenceTraffic traffic = ReferenceTraffic.of(seed, 1, Regime.REAL, 60);
      assertThat(alarm(SimulatedSeries.clip(traffic), FamilySpec.scoreMean(), 1e6))
          .as("CLIP, seed %s", seed)
          .isEqualTo(-1);
      assertThat(alarm(SimulatedSeries.latency(traffic), FamilySpec.durationTail(), 1e6))
          .as("latency, seed %s", seed)
          .isEqualTo(-1);
    }
  }

  private static int delay(FamilySpec spec, SimulatedSeries.Fault fault) {
    ReferenceTraffic traffic = ReferenceTraffic.of(3001, 1, Regime.REAL, 240);
    SimulatedSeries.Fault late =
        (minute, i, value) -> minute.index() < ONSET ? value : fault.value(minute, i, value);
    SimulatedSeries series =
        spec.logarithmic()
            ? SimulatedSeries.latency(traffic, ONSET + 31, late)
            : SimulatedSeries.clip(traffic, ONSET + 31, late);
    int minute = alarm(series, spec, TEN_FAMILIES);
    return minute < 0 ? Integer.MAX_VALUE : minute - ONSET;
  }

  @Test
  void findsFaults_withinHalfAnHourTwoHoursAfterTheStart() {
    FamilySpec clip = FamilySpec.scoreMean();
    FamilySpec latency = FamilySpec.durationTail();
    SplittableRandom random = new SplittableRandom(17);
    assertThat(delay(clip, (m, i, v) -> m.hit(i) ? v - 0.02 : v)).as("hits").isBetween(0, 30);
    assertThat(delay(clip, (m, i, v) -> v - 0.006 * (m.batch(i) - 1)))
        .as("batch members")
        .isBetween(0, 30);
    assertThat(delay(clip, (m, i, v) -> random.nextInt(3) == 0 ? v - 0.04 : v))
        .as("a node of three")
        .isBetween(0, 30);
    assertThat(
            delay(latency, (m, i, v) -> m.batch(i) >= 6 && random.nextDouble() < 0.3 ? 3 * v : v))
        .as("large batches")
        .isBetween(0, 30);
    assertThat(
            delay(
                latency,
                (m, i, v) -> random.nextDouble() < 0.25 ? v + 2.5 * random.nextExponential() : v))
        .as("queue")
        .isBetween(0, 30);
    assertThat(delay(latency, (m, i, v) -> random.nextDouble() < 0.12 ? 1.9 * v : v))
        .as("preemption")
        .isBetween(0, 30);
  }
}
