package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ArrivalScheduleTest {
  private static double[] gaps(long[] arrivals) {
    return IntStream.range(1, arrivals.length)
        .mapToDouble(i -> (arrivals[i] - arrivals[i - 1]) / 1e9)
        .toArray();
  }

  /** Of an exponential gap mean and standard deviation are equal, and a share 1/e exceeds it. */
  @Test
  void drawsAPoissonProcess() {
    long[] arrivals = ArrivalSchedule.poisson(20, 5_000, new SplittableRandom(3));

    // 100,000 expected, standard deviation 316: four of them.
    assertThat((double) arrivals.length).isCloseTo(100_000, offset(1_265.0));
    assertThat(arrivals).isSorted();
    assertThat(arrivals[arrivals.length - 1]).isLessThan(5_000_000_000_000L);
    double mean = Arrays.stream(gaps(arrivals)).average().orElse(0);
    double square = Arrays.stream(gaps(arrivals)).map(x -> x * x).average().orElse(0);
    assertThat(Math.sqrt(square - mean * mean) / mean).isCloseTo(1, offset(.02));
    double beyond = Arrays.stream(gaps(arrivals)).filter(x -> x > mean).count();
    assertThat(beyond / arrivals.length).isCloseTo(Math.exp(-1), offset(.007));
  }

  @Test
  void stretchesARecordingToTheRate() {
    double[] gaps = {.1, .1, .8, .1, .1, .8};
    long[] arrivals = ArrivalSchedule.recorded(gaps, 6, 1_000, new SplittableRandom(1));

    assertThat((double) arrivals.length).isCloseTo(6_000, offset(6.0));
    // A mean gap of 1/3 becomes 1/6: the burst stays a burst, twice as fast.
    assertThat(Arrays.stream(gaps(arrivals)).boxed())
        .allMatch(x -> Math.abs(x - .05) < 1e-6 || Math.abs(x - .4) < 1e-6);
  }

  @Test
  void hasTheRateInEveryBlock_whereverTheRecordingIsSlow() {
    // Mean 3.02/s: an hour and a half of 10/s in a day of 2.5/s, and a pause of an hour.
    double[] gaps = new double[9 * 6_000 + 200_000];
    Arrays.fill(gaps, .4);
    Arrays.fill(gaps, 0, 9 * 6_000, .1);
    gaps[100_000] = 3_600;
    for (int seed = 0; seed < 50; seed++) {
      long[] arrivals = ArrivalSchedule.recorded(gaps, 10, 60, new SplittableRandom(seed));

      assertThat((double) arrivals.length).isCloseTo(600, offset(1.0));
      // Even traffic stays even: no gap is squeezed to make room for a pause.
      assertThat(Arrays.stream(gaps(arrivals)).boxed()).allMatch(x -> x > .02 && x < .5);
    }
  }

  @Test
  void findsTheOneGap_ofARecordingThatStandsStill() {
    double[] gaps = new double[10_000];
    gaps[7_777] = 1;

    assertThat(ArrivalSchedule.recorded(gaps, 2, 5, new SplittableRandom(1)).length)
        .isLessThanOrEqualTo(11);
  }

  @Test
  void repeatsARecordingAsItWas() {
    long[] arrivals = ArrivalSchedule.stretch(List.of(.5, 2.0), 5, new SplittableRandom(1));

    assertThat(arrivals[0]).isZero();
    assertThat(Arrays.stream(gaps(arrivals)).sorted().toArray())
        .containsExactly(new double[] {.5, .5, 2, 2}, offset(1e-6));
    assertThat(gaps(arrivals)[0] + gaps(arrivals)[1]).isCloseTo(2.5, offset(1e-6));
  }

  @Test
  void refusesARecordingWithoutTime() {
    assertThatThrownBy(
            () -> ArrivalSchedule.recorded(new double[] {0, 0}, 1, 1, new SplittableRandom(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
