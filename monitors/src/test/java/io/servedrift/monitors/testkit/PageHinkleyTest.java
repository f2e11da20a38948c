package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageHinkleyTest {
  @Test
  void findsTheChangeWhereTheReferenceDoes_whenRunOnItsDocumentedStream() {
    assertThat(RiverStream.detections(new PageHinkley())).containsExactly(1006);
  }

  @Test
  void findsAFall_whenTheStreamDrops() {
    PageHinkley detector = new PageHinkley(30, 0.005, 5, 1);
    for (int i = 0; i < 100; i++) {
      assertThat(detector.update(1)).isFalse();
    }
    int needed = 0;
    while (!detector.update(0)) {
      needed++;
      assertThat(needed).isLessThan(20);
    }
    // Each value adds a little less than 1, because the mean follows: the sixth passes 5.
    assertThat(needed).isEqualTo(5);
  }

  @Test
  void isSilent_whenTheShiftIsBelowItsTolerance() {
    PageHinkley detector = new PageHinkley(30, 0.005, 5, 1);
    for (int i = 0; i < 10_000; i++) {
      assertThat(detector.update(i < 5_000 ? 0 : 0.004)).isFalse();
    }
  }
}
