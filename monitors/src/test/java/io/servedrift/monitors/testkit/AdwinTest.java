package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AdwinTest {
  @Test
  void findsTheChangeWhereTheReferenceDoes_whenRunOnItsDocumentedStream() {
    assertThat(RiverStream.detections(new Adwin(0.002))).containsExactly(1023);
  }

  @Test
  void keepsTheMeanOfTheWholeStream_whenNothingChanges() {
    SplittableRandom random = new SplittableRandom(1);
    Adwin adwin = new Adwin(0.002);
    double sum = 0;
    int n = 20_000;
    for (int i = 0; i < n; i++) {
      double x = random.nextGaussian();
      sum += x;
      assertThat(adwin.update(x)).isFalse();
    }
    assertThat(adwin.width()).isEqualTo(n);
    assertThat(adwin.mean()).isCloseTo(sum / n, offset(1e-12));
  }

  @Test
  void forgetsTheOldLevel_whenTheStreamHasMoved() {
    SplittableRandom random = new SplittableRandom(2);
    Adwin adwin = new Adwin(0.002);
    for (int i = 0; i < 5_000; i++) {
      adwin.update(random.nextGaussian());
    }
    boolean found = false;
    for (int i = 0; i < 5_000; i++) {
      found |= adwin.update(3 + random.nextGaussian());
    }
    assertThat(found).isTrue();
    assertThat(adwin.width()).isBetween(4_900L, 5_100L);
    assertThat(adwin.mean()).isBetween(2.9, 3.1);
  }
}
