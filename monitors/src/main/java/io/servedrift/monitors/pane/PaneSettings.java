package io.servedrift.monitors.pane;

import java.time.Duration;
import java.util.List;

/**
 * The settings that decide which record counts where. Two runs over the same events give the same
 * windows only under the same settings. Immutable.
 *
 * @param pane length of a pane, the smallest slice of event time that is aggregated
 * @param windows window lengths, ascending; the first is a multiple of the pane, each next one of
 *     the one before
 * @param grace how far a record may lie behind its partition's clock and still count
 * @param scoreGrace how much longer than latency panes score panes wait for late scores
 * @param horizon how long a request is remembered for de-duplication and late scores
 * @param futureLimit how far a record may lie ahead of its partition's last tick before it has to
 *     wait
 * @param maxHeld how many records may wait for a tick, per partition
 * @param seriesLimit most (model, configuration) groups kept apart per deployment and pane; the
 *     rest is {@code other}
 * @param cellLimit most joint cells kept apart per series and pane
 * @param classLimit most buckets kept apart per open-ended covariate (prompt class, workload, node,
 *     scorer)
 */
public record PaneSettings(
    Duration pane,
    List<Duration> windows,
    Duration grace,
    Duration scoreGrace,
    Duration horizon,
    Duration futureLimit,
    int maxHeld,
    int seriesLimit,
    int cellLimit,
    int classLimit) {

  /**
   * Checks that panes tile windows and windows tile each other.
   *
   * @throws IllegalArgumentException naming the setting, its value and what is allowed
   */
  public PaneSettings {
    windows = List.copyOf(windows);
    requirePositive("pane", pane);
    if (windows.isEmpty()) {
      throw new IllegalArgumentException("windows=[]: at least one window length is needed");
    }
    Duration below = pane;
    for (Duration window : windows) {
      requirePositive("windows", window);
      if (window.toNanos() % below.toNanos() != 0 || window.compareTo(below) < 0) {
        throw new IllegalArgumentException(
            "windows=" + window + ": must be a multiple of the next shorter length " + below);
      }
      below = window;
    }
    if (grace.isNegative() || scoreGrace.isNegative()) {
      throw new IllegalArgumentException(
          "grace=" + grace + ", score-grace=" + scoreGrace + ": must not be negative");
    }
    if (horizon.compareTo(pane.plus(grace).plus(scoreGrace)) < 0) {
      throw new IllegalArgumentException(
          "horizon="
              + horizon
              + ": must be at least pane + grace + score-grace = "
              + pane.plus(grace).plus(scoreGrace));
    }
    requirePositive("future-limit", futureLimit);
    requireAtLeastOne("max-held", maxHeld);
    requireAtLeastOne("series-limit", seriesLimit);
    requireAtLeastOne("cell-limit", cellLimit);
    requireAtLeastOne("class-limit", classLimit);
  }

  /** The defaults of the contract: 60 s panes; 5 min, 1 h and 24 h windows; 10 s grace. */
  public static PaneSettings defaults() {
    return new PaneSettings(
        Duration.ofSeconds(60),
        List.of(Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofHours(24)),
        Duration.ofSeconds(10),
        Duration.ofMinutes(2),
        Duration.ofMinutes(15),
        Duration.ofSeconds(60),
        10_000,
        200,
        400,
        32);
  }

  public long paneMicros() {
    return pane.toNanos() / 1000;
  }

  public long graceMicros() {
    return grace.toNanos() / 1000;
  }

  public long scoreGraceMicros() {
    return scoreGrace.toNanos() / 1000;
  }

  long horizonMicros() {
    return horizon.toNanos() / 1000;
  }

  long futureLimitMicros() {
    return futureLimit.toNanos() / 1000;
  }

  /** Start of the pane that holds an instant. Panes are aligned to the epoch. */
  long paneStart(long micros) {
    return Math.floorDiv(micros, paneMicros()) * paneMicros();
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + "=" + value + ": must be positive");
    }
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + "=" + value + ": must be at least 1");
    }
  }
}
