package io.servedrift.monitors.demo;

import java.time.Duration;

/**
 * How many clients ask at a time: busy and quiet by turns, busy first. Immutable.
 *
 * @param quiet clients of a quiet time, at least 1
 * @param busy clients of a busy time, at least {@code quiet}
 * @param period length of a busy and a quiet time together
 * @param busyFor length of the busy time
 */
public record LoadWave(int quiet, int busy, Duration period, Duration busyFor) implements Load {
  /** Checks the order of the numbers. */
  public LoadWave {
    if (quiet < 1 || busy < quiet) {
      throw new IllegalArgumentException(
          "quiet=" + quiet + ", busy=" + busy + ": must be 1 or more, and busy at least quiet");
    }
    if (busyFor.isNegative() || period.compareTo(busyFor) < 0 || period.isZero()) {
      throw new IllegalArgumentException(
          "period=" + period + ", busyFor=" + busyFor + ": must be positive, the first the longer");
    }
  }

  /** The same number all the time. */
  public static LoadWave steady(int clients) {
    return new LoadWave(clients, clients, Duration.ofSeconds(1), Duration.ZERO);
  }

  @Override
  public int most() {
    return busy;
  }

  @Override
  public boolean busy(Duration since) {
    return clients(since) > quiet;
  }

  @Override
  public int clients(Duration since) {
    return since.toMillis() % period.toMillis() < busyFor.toMillis() ? busy : quiet;
  }
}
