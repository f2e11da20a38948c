package io.servedrift.monitors.page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link ReadModel} keeps in memory.
 *
 * @param windows window lengths kept, shortest first, and for how long each (event time)
 * @param series series at most per window length; a further one takes the place of the one that has
 *     been silent longest, or is counted and left out while none is silent
 * @param windowBytes encoded windows in bytes at most, shared evenly by the lengths; the oldest go
 *     first
 * @param configs configurations and models in the dictionary at most, each
 * @param servingEvents serving events at most
 * @param servingEventBytes serving events in bytes at most, as encoded; the oldest go first
 * @param findings findings at most
 * @param corrections corrections at most
 */
public record ReadModelLimits(
    List<Retention> windows,
    int series,
    long windowBytes,
    int configs,
    int servingEvents,
    long servingEventBytes,
    int findings,
    int corrections) {
  /**
   * How long windows of one length are kept.
   *
   * @param length length of the window
   * @param keep how far back from the newest window of this length, event time
   */
  public record Retention(Duration length, Duration keep) {}

  /** Checks the limits. */
  public ReadModelLimits {
    windows = windows.stream().sorted(java.util.Comparator.comparing(Retention::length)).toList();
    if (windows.isEmpty()) {
      throw new IllegalArgumentException("window lengths=[]: must be at least one");
    }
    if (series < 1
        || windowBytes < 1
        || configs < 1
        || servingEvents < 1
        || servingEventBytes < 1
        || findings < 1
        || corrections < 1) {
      throw new IllegalArgumentException("read model limits must be at least 1");
    }
  }

  /**
   * Defaults for 5 min, 1 h and 24 h windows: a day, 30 days and 400 days of them, in at most 256
   * MiB.
   */
  public static ReadModelLimits defaults() {
    return ofLengths(List.of(Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofHours(24)));
  }

  /**
   * Defaults for other window lengths: each is kept for 288 to 720 times its length, 24 h ones for
   * 400 days.
   */
  public static ReadModelLimits ofLengths(List<Duration> lengths) {
    List<Retention> kept = new ArrayList<>();
    for (Duration length : lengths) {
      Duration keep = length.multipliedBy(720);
      if (length.compareTo(Duration.ofHours(24)) >= 0) {
        keep = length.multipliedBy(400);
      } else if (length.compareTo(Duration.ofHours(1)) < 0) {
        keep = max(length.multipliedBy(288), Duration.ofHours(1));
      }
      kept.add(new Retention(length, keep));
    }
    return new ReadModelLimits(kept, 20_000, 256L << 20, 4096, 10_000, 32L << 20, 10_000, 100_000);
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
