package io.servedrift.monitors.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * When one series had values: how many per slot of event time over the last eight days that had
 * any, in a ring. Not thread-safe.
 */
final class Presence {
  /** A week, and a day before it. */
  static final Duration KEPT = Duration.ofDays(8);

  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  private final long slotMillis;
  private final int[] counts;
  private long newestSlot = Long.MIN_VALUE;
  private Instant first = Instant.MAX;
  private Instant last = Instant.MIN;

  /**
   * An empty one.
   *
   * @param slot width of a slot; divides {@link #KEPT}
   */
  Presence(Duration slot) {
    this.slotMillis = slot.toMillis();
    this.counts = new int[Math.toIntExact(KEPT.toMillis() / slotMillis)];
  }

  /** Counts the values of a window at its start. */
  void add(Instant start, Instant end, long n) {
    long slot = slot(start);
    if (newestSlot == Long.MIN_VALUE || slot - newestSlot >= counts.length) {
      Arrays.fill(counts, 0);
      newestSlot = slot;
    }
    while (newestSlot < slot) {
      newestSlot++;
      counts[place(newestSlot)] = 0;
    }
    if (newestSlot - slot < counts.length) {
      int place = place(slot);
      counts[place] = (int) Math.min(Integer.MAX_VALUE, counts[place] + n);
    }
    first = start.isBefore(first) ? start : first;
    last = end.isAfter(last) ? end : last;
  }

  /** Start of the first window that had values. */
  Instant first() {
    return first;
  }

  /** End of the last window that had values. */
  Instant last() {
    return last;
  }

  /** Values in the slots that begin in the span; those no longer kept count as none. */
  long count(Instant from, Instant to) {
    long begin = Math.max(slot(from), newestSlot - counts.length + 1);
    long end = Math.min(slot(to) - 1, newestSlot);
    long sum = 0;
    for (long slot = begin; slot <= end; slot++) {
      sum += counts[place(slot)];
    }
    return sum;
  }

  /**
   * The longest gap between values in the last week with values, without the longest ones: one for
   * each day, so that a quiet night is not taken for how the day is.
   */
  Duration usualGap() {
    long begin = Math.max(slot(first), newestSlot - counts.length + 1);
    List<Long> gaps = new ArrayList<>();
    long gap = 0;
    for (long slot = begin; slot <= newestSlot; slot++) {
      if (counts[place(slot)] == 0) {
        gap++;
      } else if (gap > 0) {
        gaps.add(gap);
        gap = 0;
      }
    }
    gaps.sort(Collections.reverseOrder());
    int days = Math.round((float) ((newestSlot - begin) * slotMillis) / DAY_MILLIS);
    return Duration.ofMillis(days < gaps.size() ? gaps.get(days) * slotMillis : 0);
  }

  private long slot(Instant at) {
    return Math.floorDiv(at.toEpochMilli(), slotMillis);
  }

  private int place(long slot) {
    return (int) Math.floorMod(slot, (long) counts.length);
  }
}
