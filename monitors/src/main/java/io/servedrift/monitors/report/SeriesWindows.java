package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one series over time. Of each window length at most so many are kept as a chart
 * can show: where there are more, every second one is left out, again and again. The shortest
 * length of which all were kept stands for the run, else the longest. Not thread-safe.
 */
final class SeriesWindows {
  /** More points than this no reader can tell apart. */
  static final int MOST_POINTS = 600;

  /** A shift is found within a day of its onset, or its closer view begins later. */
  private static final int MOST_RECENT = 288;

  private final Map<Duration, Points> byLength = new TreeMap<>();
  private final Deque<WindowPoint> recent = new ArrayDeque<>();
  private @Nullable Duration recentLength;
  private Instant end = Instant.MIN;

  /** End of the latest window; {@link Instant#MIN} before the first. */
  Instant end() {
    return end;
  }

  void add(WindowSummary window) {
    end = window.getEnd().isAfter(end) ? window.getEnd() : end;
    Duration length = Duration.between(window.getStart(), window.getEnd());
    Points points = byLength.computeIfAbsent(length, any -> new Points());
    WindowPoint point = WindowPoint.of(window);
    points.add(point);
    remember(length, point);
  }

  /** Of the shortest length the latest ones stay whole. */
  private void remember(Duration length, WindowPoint point) {
    if (recentLength == null || length.compareTo(recentLength) < 0) {
      recentLength = length;
      recent.clear();
    }
    if (length.equals(recentLength)) {
      recent.addLast(point);
      if (recent.size() > MOST_RECENT) {
        recent.removeFirst();
      }
    }
  }

  /**
   * The closer view of a shift that has just been found; null before the first window.
   *
   * @param onset when it began
   * @param detected when it was found
   */
  @Nullable OnsetView around(Instant onset, Instant detected) {
    Duration length = recentLength;
    if (length == null) {
      return null;
    }
    OnsetView view = new OnsetView(length, onset, detected);
    recent.forEach(view::add);
    return view;
  }

  /**
   * Window length and points.
   *
   * @return how many windows of this length are left out
   */
  long describe(ObjectNode into) {
    Duration shown = null;
    Points kept = new Points();
    for (Map.Entry<Duration, Points> one : byLength.entrySet()) {
      shown = one.getKey();
      kept = one.getValue();
      if (kept.leftOut() == 0) {
        break;
      }
    }
    if (shown == null) {
      into.putNull("window_seconds");
    } else {
      into.put("window_seconds", shown.toMillis() / 1000.0);
    }
    ArrayNode points = into.putArray("points");
    kept.kept.forEach(point -> points.add(point.node()));
    return kept.leftOut();
  }

  /** Windows of one length, evenly thinned out when there are many. */
  private static final class Points {
    private final List<WindowPoint> kept = new ArrayList<>();
    private long seen;
    private long step = 1;

    void add(WindowPoint point) {
      if (seen++ % step != 0) {
        return;
      }
      if (kept.size() == MOST_POINTS) {
        for (int i = MOST_POINTS - 1; i > 0; i -= 2) {
          kept.remove(i);
        }
        step *= 2;
      }
      kept.add(point);
    }

    long leftOut() {
      return seen - kept.size();
    }
  }
}
