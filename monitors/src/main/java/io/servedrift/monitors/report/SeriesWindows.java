package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one series over time. Of each window length at most so many are kept as a chart
 * can show; where there are more, the next longer one stands for the run. Not thread-safe.
 */
final class SeriesWindows {
  /** More points than this no reader can tell apart. */
  static final int MOST_POINTS = 600;

  private final Map<Duration, List<Point>> byLength = new TreeMap<>();
  private final Map<Duration, Long> seen = new TreeMap<>();

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

  void add(WindowSummary window) {
    Duration length = Duration.between(window.getStart(), window.getEnd());
    long count = seen.merge(length, 1L, Long::sum);
    List<Point> points = byLength.computeIfAbsent(length, any -> new ArrayList<>());
    if (count > MOST_POINTS) {
      points.clear();
      return;
    }
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

  /** Window length and points, of the shortest length that was kept whole. */
  void describe(ObjectNode into) {
    for (Map.Entry<Duration, List<Point>> one : byLength.entrySet()) {
      if (!one.getValue().isEmpty()) {
        into.put("window_seconds", one.getKey().toMillis() / 1000.0);
        ArrayNode points = into.putArray("points");
        one.getValue().forEach(point -> points.add(node(point)));
        return;
      }
    }
    into.putNull("window_seconds");
    into.putArray("points");
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
