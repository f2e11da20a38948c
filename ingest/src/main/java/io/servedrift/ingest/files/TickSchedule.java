package io.servedrift.ingest.files;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which ticks an import writes around sorted events, so that every partition's clock passes like in
 * live traffic: each record lies less than a pane ahead of the last tick and never behind it; the
 * pane before a gap closes when the gap begins, and at the end every pane closes. Not thread-safe.
 */
public final class TickSchedule {
  private final Duration pane;
  private final Duration grace;
  private final Duration scoreGrace;
  private final Duration lateHorizon;
  private @Nullable Instant lastTick;
  private @Nullable Instant lastEvent;

  /**
   * A schedule for a monitor with these settings.
   *
   * @param pane length of its panes, whole milliseconds; also the distance of ticks
   * @param grace after which its latency panes close
   * @param scoreGrace after which its score panes close, beyond grace
   * @param lateHorizon how long it waits for late scores
   */
  public TickSchedule(Duration pane, Duration grace, Duration scoreGrace, Duration lateHorizon) {
    this.pane = pane;
    this.grace = grace;
    this.scoreGrace = scoreGrace;
    this.lateHorizon = lateHorizon;
  }

  TickSchedule(ImportSettings settings) {
    this(settings.pane(), settings.grace(), settings.scoreGrace(), settings.lateHorizon());
  }

  /** Ticks that come before an event of this time; times must not fall from call to call. */
  public List<Instant> before(Instant event) {
    Instant boundary = floor(event);
    Instant tick = lastTick;
    Instant previous = lastEvent;
    lastEvent = event;
    if (tick != null && !boundary.isAfter(tick)) {
      return List.of();
    }
    List<Instant> due = new ArrayList<>(2);
    if (previous != null) {
      Instant closing = closing(previous);
      if (closing.isBefore(boundary)) {
        due.add(closing);
      }
    }
    due.add(boundary);
    lastTick = boundary;
    return due;
  }

  /** Ticks after the last event; none when there was no event. */
  public List<Instant> end() {
    Instant last = lastEvent;
    if (last == null) {
      return List.of();
    }
    Instant all = ceil(closing(last).plus(scoreGrace).plus(lateHorizon));
    return List.of(closing(last), all);
  }

  /** The first boundary at which the pane of the event is closed. */
  private Instant closing(Instant event) {
    return ceil(floor(event).plus(pane).plus(grace));
  }

  private Instant floor(Instant time) {
    long length = pane.toMillis();
    return Instant.ofEpochMilli(Math.floorDiv(time.toEpochMilli(), length) * length);
  }

  private Instant ceil(Instant time) {
    Instant floor = floor(time);
    return floor.equals(time) ? floor : floor.plus(pane);
  }

  static boolean isWhole(Duration pane) {
    return pane.toNanosPart() % 1_000_000 == 0;
  }
}
