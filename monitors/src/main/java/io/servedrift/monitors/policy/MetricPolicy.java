package io.servedrift.monitors.policy;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How one metric of one deployment is judged. Immutable. Made by {@link Policy#metric}.
 *
 * @param kind what the values are; decides the unit of the effects
 * @param worse which direction is a change for the worse
 * @param minimumEffect smallest shift that matters: relative for durations (0.05 for 5 %), else in
 *     the unit of the metric; 0 leaves it to the detector
 * @param pageEffect shift from which a finding may page, in the same unit; at least {@code
 *     minimumEffect}
 * @param severityCap highest severity a finding may get
 * @param noData what follows when values stop coming
 * @param critical whether a finding pages even when its cause is inconclusive
 * @param muted whether findings are recorded as info only
 * @param baseline what values are compared with
 * @param budgetWeight share of the false-alarm budget relative to other metrics, above 0
 * @param failure for ratios the value that is a failure, 0 or 1; empty for other kinds
 * @param eval for scores the evaluation that live values are compared with as well, {@code
 *     name/metric}; empty for none
 */
public record MetricPolicy(
    MetricKind kind,
    Worse worse,
    double minimumEffect,
    double pageEffect,
    SeverityCap severityCap,
    NoData noData,
    boolean critical,
    boolean muted,
    BaselineUse baseline,
    double budgetWeight,
    OptionalInt failure,
    Optional<String> eval) {

  /** Direction of a change for the worse. */
  public enum Worse {
    UP,
    DOWN,
    BOTH
  }

  /** Highest severity of a finding. */
  public enum SeverityCap {
    PAGE,
    TICKET
  }

  /** What follows when values stop coming. */
  public enum NoData {
    IGNORE,
    TICKET,
    PAGE
  }

  /** What values are compared with. */
  public enum BaselineUse {
    /** Learned from the configuration's own traffic; before that from its predecessor's. */
    LEARNED,
    /** A time range named in the policy. */
    PINNED,
    /** Only the configuration that ran before. */
    PREDECESSOR_ONLY,
    /** Nothing: the metric is measured and not judged. */
    NONE
  }

  static MetricPolicy of(MetricKind kind, Map<MetricField, String> fields) {
    double minimum = ValueType.effectValue(text(fields, MetricField.MINIMUM_EFFECT));
    double page = ValueType.effectValue(text(fields, MetricField.PAGE_EFFECT));
    String failure = fields.get(MetricField.FAILURE);
    return new MetricPolicy(
        kind,
        ValueType.word(Worse.class).read(text(fields, MetricField.WORSE)),
        minimum,
        Math.max(minimum, page),
        ValueType.word(SeverityCap.class).read(text(fields, MetricField.SEVERITY_CAP)),
        ValueType.word(NoData.class).read(text(fields, MetricField.NO_DATA)),
        ValueType.flag().read(text(fields, MetricField.CRITICAL)),
        ValueType.flag().read(text(fields, MetricField.MUTED)),
        ValueType.word(BaselineUse.class).read(text(fields, MetricField.BASELINE)),
        Double.parseDouble(text(fields, MetricField.BUDGET_WEIGHT)),
        failure == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(failure)),
        Optional.ofNullable(fields.get(MetricField.EVAL)));
  }

  private static String text(Map<MetricField, String> fields, MetricField field) {
    String text = fields.get(field);
    if (text == null) {
      throw new IllegalStateException("no default for " + field.key());
    }
    return text;
  }
}
