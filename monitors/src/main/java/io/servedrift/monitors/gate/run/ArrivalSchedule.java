package io.servedrift.monitors.gate.run;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** When requests of an open loop arrive, in nanoseconds from the start of a block. Stateless. */
final class ArrivalSchedule {
  private static final double NANOS = 1e9;

  /** Stretches of a recording of which the busiest is taken. */
  private static final int STRETCHES = 16;

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
   * A stretch of recorded gaps, stretched in time so that it has this rate: bursts stay bursts. It
   * is the busiest of some that are begun at random and wrapped around at the end, for the night of
   * a recording, sped up to its peak, is like nothing that was ever served.
   *
   * @param gaps seconds between arrivals, not all 0
   */
  static long[] recorded(double[] gaps, double perSecond, double seconds, SplittableRandom random) {
    if (!(Arrays.stream(gaps).sum() > 0)) {
      throw new IllegalArgumentException("gaps: must not all be 0");
    }
    int arrivals = (int) Math.ceil(perSecond * seconds);
    int first = busiest(gaps, arrivals, random);
    double scale = arrivals / (perSecond * span(gaps, first, arrivals));
    return until(seconds, arrivals, i -> gaps[(first + i) % gaps.length] * scale);
  }

  /** Where the shortest of some stretches of so many gaps begins. */
  private static int busiest(double[] gaps, int length, SplittableRandom random) {
    int best = -1;
    for (int i = 0; i < STRETCHES; i++) {
      int first = random.nextInt(gaps.length);
      double span = span(gaps, first, length);
      if (span > 0 && (best < 0 || span < span(gaps, best, length))) {
        best = first;
      }
    }
    if (best >= 0) {
      return best;
    }
    int first = 0;
    while (!(span(gaps, first, length) > 0)) {
      first += length;
    }
    return first % gaps.length;
  }

  /** Seconds of so many gaps from one on, wrapped around at the end. */
  private static double span(double[] gaps, int first, int length) {
    double seconds = 0;
    for (int i = 0; i < length; i++) {
      seconds += gaps[(first + i) % gaps.length];
    }
    return seconds;
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
