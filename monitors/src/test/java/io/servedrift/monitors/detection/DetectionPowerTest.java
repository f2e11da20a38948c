package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.testkit.ReferenceTraffic;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DetectionPowerTest {
  private static final ReferenceTraffic TRAFFIC = ReferenceTraffic.of(21, 3, Regime.REAL, 20);
  private static final Baseline SCORES =
      SimulatedSeries.clip(TRAFFIC).baseline(FamilySpec.scoreMean(), 3 * 1440);
  private static final Baseline LATENCIES =
      SimulatedSeries.latency(TRAFFIC).baseline(FamilySpec.durationTail(), 3 * 1440);

  @Test
  void seesSmallerShifts_whenGivenMoreTime() {
    for (Baseline baseline : new Baseline[] {SCORES, LATENCIES}) {
      DetectionPower power = new DetectionPower(baseline, 1e6);
      for (var track : baseline.tracks()) {
        double hour = power.smallestShift(track, Duration.ofHours(1)).shift();
        double day = power.smallestShift(track, Duration.ofDays(1)).shift();
        assertThat(day).as(track.track().label()).isLessThan(hour).isPositive();
      }
    }
  }

  @Test
  void seesNothing_beforeThePersistenceLimitAllows() {
    DetectionPower power = new DetectionPower(SCORES, 1e6);
    assertThat(power.natsNeeded(SCORES.tracks().get(0))).isBetween(18.0, 19.0);
    assertThat(power.smallestShifts(Duration.ofMinutes(10)))
        .allMatch(visible -> visible.shift() == Double.POSITIVE_INFINITY);
  }

  @Test
  void neverPromisesLess_thanTheFloor() {
    DetectionPower power = new DetectionPower(SCORES, 1e6);
    assertThat(power.smallestShifts(Duration.ofDays(30)))
        .allMatch(visible -> visible.shift() > visible.track().floor());
  }
}
