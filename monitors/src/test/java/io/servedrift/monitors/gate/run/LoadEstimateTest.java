package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.gate.CheckName;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LoadEstimateTest {
  private static RunOptions options(List<Double> loads, int inFlight) {
    return new RunOptions(
        1,
        40,
        List.of(inFlight),
        0,
        null,
        loads,
        2,
        Duration.ofSeconds(20),
        Duration.ofSeconds(2),
        1,
        Duration.ofSeconds(1),
        Set.of(CheckName.P99_UNDER_LOAD));
  }

  @Test
  void leavesWarmUpsOut_whenThePeakIsKnown() {
    List<LoadEstimate> levels = LoadEstimate.of(options(List.of(1.0, 1.2), 4), 10.0, 3);

    // 2 blocks of 18 s at 10/s.
    assertThat(levels.get(0).leastRequests()).isEqualTo(360, within(1e-9));
    assertThat(levels.get(0).mostRequests()).isEqualTo(360, within(1e-9));
    assertThat(levels.get(1).mostRequests()).isEqualTo(432, within(1e-9));
    assertThat(levels.get(0).enough(400)).isEqualTo(LoadEstimate.Enough.NO);
    assertThat(levels.get(1).enough(400)).isEqualTo(LoadEstimate.Enough.YES);
    assertThat(levels.get(0).peakFor(400)).isEqualTo(400 / 36.0, within(1e-9));
  }

  @Test
  void isARange_whenThePeakIsToBeFound() {
    // Between 0.7 x 5/s and four times that.
    LoadEstimate level = LoadEstimate.of(options(List.of(1.0), 4), null, .2).get(0);

    assertThat(level.leastRequests()).isEqualTo(126, within(1e-9));
    assertThat(level.mostRequests()).isEqualTo(504, within(1e-9));
    assertThat(level.enough(125)).isEqualTo(LoadEstimate.Enough.YES);
    assertThat(level.enough(400)).isEqualTo(LoadEstimate.Enough.PERHAPS);
    assertThat(level.enough(505)).isEqualTo(LoadEstimate.Enough.NO);
  }

  @Test
  void saysNothing_whenNothingIsKnownOfTheRate() {
    assertThat(LoadEstimate.of(options(List.of(1.0), 4), null, 0)).isEmpty();
  }
}
