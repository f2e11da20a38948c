package io.servedrift.monitors.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One field of a metric's rule: how it is written, what it means. */
enum MetricField {
  WORSE(
      ValueType.word(MetricPolicy.Worse.class),
      "Which direction is a change for the worse. A change for the better is recorded as info."),
  MINIMUM_EFFECT(
      ValueType.effect(),
      "Smallest shift that matters; smaller ones are silent. 0 leaves it to the detector: a tenth"
          + " of the standard deviation."),
  PAGE_EFFECT(
      ValueType.effect(),
      "Shift from which a finding may page; below it is a ticket. Counts as minimum_effect when it"
          + " is smaller."),
  SEVERITY_CAP(
      ValueType.word(MetricPolicy.SeverityCap.class),
      "Highest severity a finding may get: with ticket the metric never pages."),
  NO_DATA(
      ValueType.word(MetricPolicy.NoData.class),
      "What follows when values of the metric stop coming while requests go on: nothing, or an"
          + " alert ServedriftDataMissing of this severity. Of latency also: when requests stop."),
  CRITICAL(ValueType.flag(), "Whether a finding pages even when its cause is inconclusive."),
  MUTED(
      ValueType.flag(),
      "Whether findings are only recorded, as info: they neither page nor ticket."),
  BASELINE(
      ValueType.word(MetricPolicy.BaselineUse.class),
      "What a value is compared with: learned by the monitor, a pinned time range, only the"
          + " configuration before; none: the metric is not judged."),
  BUDGET_WEIGHT(
      ValueType.positive(100),
      "Share of the false-alarm budget relative to other metrics; less makes it slower to alarm."),
  FAILURE(
      ValueType.bit(),
      "For 0/1 metrics: the value that is a failure. It goes with worse: 1 with up, 0 with down."),
  EVAL(
      ValueType.evaluation(),
      "For scores: the recorded evaluation that the live mean is compared with as well, name/metric;"
          + " the latest result of the deployment counts.");

  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  private final ValueType<?> type;

  private final String meaning;

  MetricField(ValueType<?> type, String meaning) {
    this.type = type;
    this.meaning = meaning;
  }

  static List<String> keys() {
    return Arrays.stream(values()).map(MetricField::key).toList();
  }

  static MetricField of(String key) {
    return valueOf(key.toUpperCase(Locale.ROOT));
  }

  /** The name in YAML. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  ValueType<?> type() {
    return type;
  }

  String meaning() {
    return meaning;
  }
}
