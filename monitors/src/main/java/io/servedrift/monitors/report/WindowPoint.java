package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.WindowSummary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a window that a chart shows; null where there are too few values.
 *
 * @param startMillis milliseconds since the epoch
 */
record WindowPoint(
    long startMillis,
    long n,
    @Nullable Double mean,
    @Nullable Double meanLower,
    @Nullable Double meanUpper,
    @Nullable Double p50,
    @Nullable Double p99,
    @Nullable Double p99Lower,
    @Nullable Double p99Upper,
    String p99State) {

  static WindowPoint of(WindowSummary window) {
    return new WindowPoint(
        window.getStart().toEpochMilli(),
        window.getN(),
        window.getMean(),
        window.getMeanLower(),
        window.getMeanUpper(),
        window.getP50(),
        window.getP99(),
        window.getP99Lower(),
        window.getP99Upper(),
        window.getP99State().name().toLowerCase(Locale.ROOT));
  }

  /** For the document. */
  ObjectNode node() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("start", startMillis);
    node.put("n", n);
    Numbers.put(node, "mean", mean);
    Numbers.put(node, "mean_lower", meanLower);
    Numbers.put(node, "mean_upper", meanUpper);
    Numbers.put(node, "p50", p50);
    Numbers.put(node, "p99", p99);
    Numbers.put(node, "p99_lower", p99Lower);
    Numbers.put(node, "p99_upper", p99Upper);
    node.put("p99_state", p99State);
    return node;
  }
}
