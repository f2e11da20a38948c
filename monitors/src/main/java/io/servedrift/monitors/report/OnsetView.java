package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The shortest windows around the onset of a shift, all of them: the chart of a long run leaves out
 * most. From three dozen windows before the onset to as many after it, and to a dozen after the
 * detection. Bounded. Not thread-safe.
 */
final class OnsetView {
  private static final int BEFORE = 36;
  private static final int AFTER = 36;
  private static final int AFTER_DETECTION = 12;
  private static final int MOST = 240;

  private final Duration length;
  private final long fromMillis;
  private final long toMillis;
  private final List<WindowPoint> points = new ArrayList<>();

  OnsetView(Duration length, Instant onset, Instant detected) {
    this.length = length;
    fromMillis = onset.minus(length.multipliedBy(BEFORE)).toEpochMilli();
    toMillis =
        Math.max(
            onset.plus(length.multipliedBy(AFTER)).toEpochMilli(),
            detected.plus(length.multipliedBy(AFTER_DETECTION)).toEpochMilli());
  }

  /** Length of its windows. */
  Duration length() {
    return length;
  }

  /** Takes a window if it belongs here. */
  void add(WindowPoint point) {
    if (point.startMillis() >= fromMillis
        && point.startMillis() < toMillis
        && points.size() < MOST) {
      points.add(point);
    }
  }

  /** Whether windows from here on come too late for it. */
  boolean endsBefore(Instant time) {
    return time.toEpochMilli() >= toMillis;
  }

  /** Window length and points, for the document. */
  void describe(ObjectNode into) {
    into.put("window_seconds", length.toMillis() / 1000.0);
    ArrayNode all = into.putArray("points");
    points.forEach(point -> all.add(point.node()));
  }
}
