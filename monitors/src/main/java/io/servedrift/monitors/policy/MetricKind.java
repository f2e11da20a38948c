package io.servedrift.monitors.policy;

import io.servedrift.monitors.pane.MetricLayouts;
import java.util.Set;

/** What the values of a metric are, and with it the unit of its effects. */
public enum MetricKind {
  /** Seconds; effects are relative, 0.05 for 5 %. */
  DURATION("durations"),
  /** 0 or 1 per request; effects are differences of the ratio, 0.002 for 0.2 percentage points. */
  RATIO("ratios"),
  /** Anything else; effects are in the unit of the score. */
  SCORE("scores");

  static final String STAGE_PREFIX = "stage:";
  static final String ERROR_RATIO = "error_ratio";

  /** Durations of the contract beside the stages; known by name, whatever their layout. */
  static final Set<String> DURATIONS =
      Set.of("latency", "queue", "inference", "time_to_first_token");

  private final String plural;

  MetricKind(String plural) {
    this.plural = plural;
  }

  /** The kind of a metric; a score with the layout {@code binary} is a ratio. */
  public static MetricKind of(String metric, MetricLayouts layouts) {
    if (isDuration(metric)) {
      return DURATION;
    }
    boolean binary = metric.equals(ERROR_RATIO) || layouts.layoutOf(metric).isBinary();
    return binary ? RATIO : SCORE;
  }

  static boolean isDuration(String metric) {
    return DURATIONS.contains(metric) || metric.startsWith(STAGE_PREFIX);
  }

  /** The word for all metrics of this kind. */
  String plural() {
    return plural;
  }
}
