package io.servedrift.monitors.gate.run;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** When requests of an open loop arrive, in nanoseconds from the start of a block. Stateless. */
final class ArrivalSchedule {
  private static final double NANOS = 1e9;

  private ArrivalSchedule() {}

  /** A Poisson process: independent exponential gaps. */
  static long[] poisson(double perSecond, double seconds, SplittableRandom random) {
    return until(
        seconds, (int) Math.ceil(perSecond * seconds), i -> exponential(random) / perSecond);
  }

  private static double exponential(SplittableRandom random) {
    return -Math.log1p(-random.nextDouble());
  }

  /**
   * A stretch of recorded gaps, begun at random, wrapped around at the end, and stretched in time
   * so that the recording as a whole would have this rate: bursts stay bursts.
   *
   * @param gaps seconds between arrivals, not all 0
   */
  static long[] recorded(double[] gaps, double perSecond, double seconds, SplittableRandom random) {
    double mean = Arrays.stream(gaps).average().orElse(0);
    if (!(mean > 0)) {
      throw new IllegalArgumentException("gaps: must not all be 0");
    }
    double scale = 1 / (perSecond * mean);
    int first = random.nextInt(gaps.length);
    return until(
        seconds,
        (int) Math.ceil(perSecond * seconds),
        i -> gaps[(first + i) % gaps.length] * scale);
  }

  /**
   * So many arrivals with the gaps of a recorded stretch, begun at random, as fast as they were.
   *
   * @param gaps seconds between arrivals, not empty
   */
  static long[] stretch(List<Double> gaps, int arrivals, SplittableRandom random) {
    int first = random.nextInt(gaps.size());
    long[] times = new long[arrivals];
    double at = 0;
    for (int i = 0; i < arrivals; i++) {
      times[i] = Math.round(at * NANOS);
      at += gaps.get((first + i) % gaps.size());
    }
    return times;
  }

  /** The gap before arrival i, seconds. */
  private interface Gaps {
    double before(int i);
  }

  private static long[] until(double seconds, int expected, Gaps gaps) {
    long[] arrivals = new long[Math.max(16, expected)];
    int n = 0;
    double at = gaps.before(0);
    for (int i = 1; at < seconds; i++) {
      if (n == arrivals.length) {
        arrivals = Arrays.copyOf(arrivals, 2 * n);
      }
      arrivals[n++] = Math.round(at * NANOS);
      at += gaps.before(i);
    }
    return Arrays.copyOf(arrivals, n);
  }
}
