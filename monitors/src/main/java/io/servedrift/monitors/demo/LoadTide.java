package io.servedrift.monitors.demo;

import java.time.Duration;

/**
 * A wave on a tide: beside the clients of the wave others come and go slowly, as they do over a
 * day; it begins at low tide. Immutable.
 *
 * @param wave busy and quiet times
 * @param more clients at high tide, beside those of the wave; 0 or more
 * @param period from one low tide to the next
 */
public record LoadTide(LoadWave wave, int more, Duration period) implements Load {
  /** Checks the numbers. */
  public LoadTide {
    if (more < 0) {
      throw new IllegalArgumentException("more=" + more + ": must be 0 or more");
    }
    if (period.toMillis() < 1) {
      throw new IllegalArgumentException("period=" + period + ": must be positive");
    }
  }

  @Override
  public int most() {
    return wave.most() + more;
  }

  @Override
  public int clients(Duration since) {
    double turns = since.toMillis() / (double) period.toMillis();
    double height = (1 - Math.cos(2 * Math.PI * turns)) / 2;
    return wave.clients(since) + (int) Math.round(more * height);
  }

  @Override
  public boolean busy(Duration since) {
    return wave.busy(since);
  }
}
