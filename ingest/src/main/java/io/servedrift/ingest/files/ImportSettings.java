package io.servedrift.ingest.files;

import java.time.Duration;
import java.util.Map;

/**
 * Settings of {@link HistoryImport}.
 *
 * @param kafka client settings, {@code bootstrap.servers} among them
 * @param prefix of the topics, {@link #DEFAULT_PREFIX} for instance; not that of live topics
 * @param pane length of a pane of the monitor that will read the topics; also the distance of ticks
 * @param grace after which its latency panes close
 * @param scoreGrace after which its score panes close, beyond grace
 * @param lateHorizon how long late scores are waited for
 * @param force import into live topics or into topics that hold records already
 */
public record ImportSettings(
    Map<String, ?> kafka,
    String prefix,
    Duration pane,
    Duration grace,
    Duration scoreGrace,
    Duration lateHorizon,
    boolean force) {
  /** Prefix of imported history unless another is given. */
  public static final String DEFAULT_PREFIX = "history";

  /** A record further ahead of the last tick of its partition has to wait for the next one. */
  private static final Duration MAX_AHEAD = Duration.ofSeconds(60);

  public ImportSettings {
    kafka = Map.copyOf(kafka);
    if (pane.compareTo(Duration.ofSeconds(1)) < 0
        || pane.compareTo(MAX_AHEAD) > 0
        || !TickSchedule.isWhole(pane)) {
      throw new IllegalArgumentException(
          "pane="
              + pane
              + ": must be whole milliseconds between 1s and "
              + MAX_AHEAD.toSeconds()
              + "s");
    }
    requireNotNegative("grace", grace);
    requireNotNegative("score_grace", scoreGrace);
    requireNotNegative("late_horizon", lateHorizon);
  }

  private static void requireNotNegative(String name, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + "=" + value + ": must not be negative");
    }
  }

  /** Pane 60 s, grace 10 s, score grace 2 min, late horizon 15 min, no force. */
  public static ImportSettings of(Map<String, ?> kafka, String prefix) {
    return new ImportSettings(
        kafka,
        prefix,
        Duration.ofSeconds(60),
        Duration.ofSeconds(10),
        Duration.ofMinutes(2),
        Duration.ofMinutes(15),
        false);
  }

  /** The same with another answer to {@code force}. */
  public ImportSettings withForce(boolean value) {
    return new ImportSettings(kafka, prefix, pane, grace, scoreGrace, lateHorizon, value);
  }
}
