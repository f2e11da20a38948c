package io.servedrift.monitors.replay;

import io.servedrift.monitors.pane.PaneSettings;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which part of the traffic a replay gives, and from where on the judge looks at it. Immutable.
 *
 * @param from start of what is given, null for the first record
 * @param to end of what is given, null for the last record
 * @param watchFrom time from which the judge looks although it gives nothing yet, such as a pinned
 *     baseline before {@code from}; null for {@code from}
 */
public record ReplayRange(
    @Nullable Instant from, @Nullable Instant to, @Nullable Instant watchFrom) {

  /** Without anything to look at before it. */
  public static ReplayRange of(@Nullable Instant from, @Nullable Instant to) {
    return new ReplayRange(from, to, null);
  }

  /** Where the judge begins; null for the first record. */
  public @Nullable Instant start(Checkpoints state) {
    if (from == null) {
      return null;
    }
    Instant begin = watchFrom != null && watchFrom.isBefore(from) ? watchFrom : from;
    return state.earliestOr(begin);
  }

  /**
   * Record time from which records are needed when the judge begins at a time: what is
   * de-duplicated, waits or comes late then.
   */
  public static Instant readFrom(Instant start, PaneSettings settings) {
    // The first step of the judge may be a score pane that began this long before.
    return start
        .minus(settings.grace())
        .minus(settings.scoreGrace())
        .minus(settings.pane())
        .minus(settings.horizon())
        .minus(settings.futureLimit());
  }

  /** Clock of a partition at which a window that ends at a time can get no more scores. */
  public static Instant readUntil(Instant end, PaneSettings settings) {
    return end.plus(settings.grace()).plus(settings.scoreGrace()).plus(settings.horizon());
  }

  /** Whether a record of this time belongs to what is given. */
  boolean contains(Instant time) {
    return (from == null || !time.isBefore(from)) && (to == null || time.isBefore(to));
  }
}
