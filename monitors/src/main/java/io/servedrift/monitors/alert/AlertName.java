package io.servedrift.monitors.alert;

import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.policy.MetricKind;

/** The alerts there are (contract, section 7). */
public enum AlertName {
  /** More slow requests than in the baseline. */
  LATENCY_TAIL_SHIFT("ServedriftLatencyTailShift"),
  /** The mean of a duration moved. */
  LATENCY_SHIFT("ServedriftLatencyShift"),
  /** A score moved. */
  SCORE_SHIFT("ServedriftScoreShift"),
  /** A share of failures moved. */
  ERROR_RATIO_SHIFT("ServedriftErrorRatioShift"),
  /** Values stopped coming. */
  DATA_MISSING("ServedriftDataMissing");

  private static final MetricLayouts LAYOUTS = new MetricLayouts();

  private final String label;

  AlertName(String label) {
    this.label = label;
  }

  /** The value of the label {@code alertname}. */
  public String label() {
    return label;
  }

  /** The alert of a finding. */
  static AlertName of(String metric, String statistic) {
    if (statistic.equals("ratio")) {
      return ERROR_RATIO_SHIFT;
    }
    if (MetricKind.of(metric, LAYOUTS) != MetricKind.DURATION) {
      return SCORE_SHIFT;
    }
    return statistic.equals("tail") ? LATENCY_TAIL_SHIFT : LATENCY_SHIFT;
  }
}
