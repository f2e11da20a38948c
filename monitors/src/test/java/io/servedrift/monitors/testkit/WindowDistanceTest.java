package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WindowDistanceTest {
  private static final double[] TEN = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  @Test
  void measuresTheLargestGap_whenSamplesAreSmall() {
    // At 4 the reference has 4/10 of its values, the window 3/4; at 9 it is 9/10 against 3/4.
    assertThat(new WindowDistance(TEN).ksStatistic(new double[] {2, 3, 4, 20}))
        .isCloseTo(0.35, offset(1e-12));
  }

  @Test
  void givesTheTailOfKolmogorovsLaw_whenAskedForTextbookPoints() {
    // Critical values of Smirnov's table: 1.2238 at 10 %, 1.3581 at 5 %, 1.6276 at 1 %.
    assertThat(WindowDistance.kolmogorovTail(1.2238)).isCloseTo(0.10, offset(3e-5));
    assertThat(WindowDistance.kolmogorovTail(1.3581)).isCloseTo(0.05, offset(2e-5));
    assertThat(WindowDistance.kolmogorovTail(1.6276)).isCloseTo(0.01, offset(2e-6));
    assertThat(WindowDistance.kolmogorovTail(0.1)).isEqualTo(1);
  }

  @Test
  void movesByTheShift_whenAllValuesAreShifted() {
    double[] shifted = Arrays.stream(TEN).map(x -> x + 2.5).toArray();
    // Population standard deviation of 1..10.
    double sd = Math.sqrt(8.25);
    assertThat(new WindowDistance(TEN).wasserstein(shifted)).isCloseTo(2.5 / sd, offset(1e-12));
  }

  @Test
  void weighsBySize_whenTheWindowHasAnotherSize() {
    // scipy.stats.wasserstein_distance([0, 1, 3] * 4, [5, 6, 8, 8]) = 5.4166...
    double[] reference = {0, 0, 0, 0, 1, 1, 1, 1, 3, 3, 3, 3};
    double sd = Math.sqrt(14.0 / 9);
    assertThat(new WindowDistance(reference).wasserstein(new double[] {5, 6, 8, 8}))
        .isCloseTo((6.75 - 4.0 / 3) / sd, offset(1e-12));
  }

  @Test
  void sumsTheIndex_whenBinsAreFullAndEmpty() {
    double[] reference = new double[1_000];
    for (int i = 0; i < reference.length; i++) {
      reference[i] = i / 1_000.0;
    }
    WindowDistance distance = new WindowDistance(reference);
    double[] even = new double[100];
    for (int i = 0; i < even.length; i++) {
      even[i] = (i + 0.5) / 100;
    }
    assertThat(distance.psi(even)).isCloseTo(0, offset(1e-12));
    // Everything in the first bin: (1 - .1) ln 10 + 9 (.0001 - .1) ln(.0001 / .1).
    double[] first = new double[50];
    assertThat(distance.psi(first))
        .isCloseTo(0.9 * Math.log(10) + 9 * 0.0999 * Math.log(1_000), offset(1e-9));
  }

  @Test
  void keepsItsLevel_whenTheWindowComesFromTheReference() {
    SplittableRandom random = new SplittableRandom(3);
    int rejected = 0;
    int runs = 2_000;
    for (int r = 0; r < runs; r++) {
      double[] window = random.doubles(300).toArray();
      Arrays.sort(window);
      if (new WindowDistance(random.doubles(1_000).toArray()).ksPValue(window) < 0.05) {
        rejected++;
      }
    }
    // The limit law is a little conservative at these sizes; five standard errors around 4.5 %.
    assertThat(rejected / (double) runs).isBetween(0.022, 0.068);
  }
}
