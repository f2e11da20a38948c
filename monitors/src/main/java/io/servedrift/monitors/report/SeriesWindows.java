package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

  private final Map<Duration, Points> byLength = new TreeMap<>();
  private Instant end = Instant.MIN;

  /** The numbers of a window; null where there are too few values. */
  private record Point(
      long startMillis,
      long n,
      @Nullable Double mean,
      @Nullable Double meanLower,
      @Nullable Double meanUpper,
      @Nullable Double p50,
      @Nullable Double p99,
      @Nullable Double p99Lower,
      @Nullable Double p99Upper,
      String p99State) {}

  /** End of the latest window; {@link Instant#MIN} before the first. */
  Instant end() {
    return end;
  }

  void add(WindowSummary window) {
    end = window.getEnd().isAfter(end) ? window.getEnd() : end;
    Duration length = Duration.between(window.getStart(), window.getEnd());
    Points points = byLength.computeIfAbsent(length, any -> new Points());
    points.add(
        new Point(
            window.getStart().toEpochMilli(),
            window.getN(),
            window.getMean(),
            window.getMeanLower(),
            window.getMeanUpper(),
            window.getP50(),
            window.getP99(),
            window.getP99Lower(),
            window.getP99Upper(),
            window.getP99State().name().toLowerCase(Locale.ROOT)));
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
    kept.kept.forEach(point -> points.add(node(point)));
    return kept.leftOut();
  }

  /** Windows of one length, evenly thinned out when there are many. */
  private static final class Points {
    private final List<Point> kept = new ArrayList<>();
    private long seen;
    private long step = 1;

    void add(Point point) {
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

  private static ObjectNode node(Point point) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("start", point.startMillis);
    node.put("n", point.n);
    Numbers.put(node, "mean", point.mean);
    Numbers.put(node, "mean_lower", point.meanLower);
    Numbers.put(node, "mean_upper", point.meanUpper);
    Numbers.put(node, "p50", point.p50);
    Numbers.put(node, "p99", point.p99);
    Numbers.put(node, "p99_lower", point.p99Lower);
    Numbers.put(node, "p99_upper", point.p99Upper);
    node.put("p99_state", point.p99State);
    return node;
  }
}
