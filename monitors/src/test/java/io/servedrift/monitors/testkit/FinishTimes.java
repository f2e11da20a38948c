package io.servedrift.monitors.testkit;

import java.time.Instant;
import java.util.Arrays;

/** When the requests of a series ended: what a delay in requests is counted with. Immutable. */
public final class FinishTimes {
  /** Nothing known: delays in requests are not given. */
  public static final FinishTimes UNKNOWN = new FinishTimes(new long[0]);

  private final long[] micros;

  private FinishTimes(long[] micros) {
    this.micros = micros;
  }

  /**
   * The ends of requests.
   *
   * @param micros microseconds since the epoch, in any order
   */
  public static FinishTimes of(long... micros) {
    long[] rising = micros.clone();
    Arrays.sort(rising);
    return new FinishTimes(rising);
  }

  boolean known() {
    return micros.length > 0;
  }

  /** Requests that ended at or after one moment and before another. */
  int between(Instant from, Instant to) {
    return countBefore(to) - countBefore(from);
  }

  private int countBefore(Instant moment) {
    long limit = moment.getEpochSecond() * 1_000_000 + moment.getNano() / 1_000;
    int low = 0;
    int high = micros.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (micros[middle] < limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
