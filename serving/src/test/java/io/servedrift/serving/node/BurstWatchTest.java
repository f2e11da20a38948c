package io.servedrift.serving.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BurstWatchTest {

  private final BurstWatch watch = new BurstWatch(Duration.ofNanos(10), 50);

  @Test
  void reportsOnce_whileTheCounterGrowsFast() {
    assertThat(watch.observe(0, 1_000)).isEmpty();
    assertThat(watch.observe(5, 1_049)).isEmpty();
    assertThat(watch.observe(8, 1_070)).isEqualTo(OptionalLong.of(70));
    assertThat(watch.observe(12, 1_130)).isEmpty();
  }

  @Test
  void reportsAgain_afterATimeWithout() {
    watch.observe(0, 0);
    assertThat(watch.observe(1, 60)).isEqualTo(OptionalLong.of(60));
    assertThat(watch.observe(20, 60)).isEmpty();
    assertThat(watch.observe(21, 120)).isEqualTo(OptionalLong.of(60));
  }

  @Test
  void isSilent_whenTheSameGrowthIsSpreadOverMoreThanTheWindow() {
    for (int i = 0; i < 100; i++) {
      assertThat(watch.observe(11L * i, 40L * i)).isEmpty();
    }
  }
}
