package io.servedrift.monitors.policy;

import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rules for metrics by pattern. The more specific rule wins, field by field: a name over the
 * longest matching beginning over a shorter one over all of a kind over {@code *}. Immutable.
 */
public final class MetricRules {

  /** No rules. */
  static final MetricRules NONE = new MetricRules(new TreeMap<>());

  private static final MetricPattern STAGES =
      MetricPattern.parse(MetricKind.STAGE_PREFIX + "*").orElseThrow();

  /** Every field for every kind, and the metrics that differ from their kind. */
  private static final MetricRules BUILT_IN = builtIn();

  private final SortedMap<MetricPattern, Map<MetricField, String>> rules;

  private MetricRules(SortedMap<MetricPattern, Map<MetricField, String>> rules) {
    this.rules = rules;
  }

  /**
   * Rules as read: fields in their canonical text.
   *
   * @param fields by pattern; empty rules are left out
   */
  static MetricRules of(Map<MetricPattern, Map<MetricField, String>> fields) {
    SortedMap<MetricPattern, Map<MetricField, String>> rules = new TreeMap<>();
    fields.forEach(
        (pattern, given) -> {
          if (!given.isEmpty()) {
            Map<MetricField, String> rule = new EnumMap<>(given);
            String failure = rule.get(MetricField.FAILURE);
            if (failure != null) {
              rule.putIfAbsent(MetricField.WORSE, failure.equals("1") ? "up" : "down");
            }
            rules.put(pattern, Collections.unmodifiableMap(rule));
          }
        });
    return new MetricRules(rules);
  }

  /** Where the defaults differ: the rows of the documentation and of every written policy. */
  static Map<MetricPattern, MetricKind> standard() {
    Map<MetricPattern, MetricKind> standard = new LinkedHashMap<>();
    for (MetricKind kind : MetricKind.values()) {
      standard.put(MetricPattern.ofKind(kind), kind);
    }
    for (String name : List.of("latency", "queue", "inference", "time_to_first_token")) {
      standard.put(MetricPattern.ofName(name), MetricKind.DURATION);
    }
    standard.put(STAGES, MetricKind.DURATION);
    standard.put(MetricPattern.ofName(MetricKind.ERROR_RATIO), MetricKind.RATIO);
    return standard;
  }

  /**
   * The same rules laid over the built-in ones, every field of the standard patterns written out.
   * What is effective already stays as it is, and rules that mean the same for the standard
   * patterns become equal.
   */
  MetricRules effective() {
    SortedMap<MetricPattern, Map<MetricField, String>> all = new TreeMap<>(rules);
    // Every metric is of a kind, and the rules of the kinds hold now what this one said.
    all.remove(MetricPattern.ALL);
    standard()
        .forEach(
            (pattern, kind) ->
                all.put(
                    pattern,
                    Collections.unmodifiableMap(
                        settled(
                            pattern,
                            kind,
                            over(BUILT_IN.over(none(), pattern, kind), pattern, kind)))));
    return new MetricRules(all);
  }

  /** The fields of a metric: these rules over what holds without them. */
  Map<MetricField, String> over(
      Map<MetricField, String> below, MetricPattern metric, MetricKind kind) {
    Map<MetricField, String> fields = new EnumMap<>(below);
    rules.forEach(
        (pattern, rule) -> {
          if (pattern.contains(metric, kind)) {
            fields.putAll(rule);
          }
        });
    return fields;
  }

  /** For a ratio, worse and failure say the same; other kinds have no failure. */
  static Map<MetricField, String> settled(
      MetricPattern metric, MetricKind kind, Map<MetricField, String> fields) {
    Map<MetricField, String> settled = new EnumMap<>(fields);
    if (kind != MetricKind.RATIO) {
      settled.remove(MetricField.FAILURE);
      return settled;
    }
    if (metric.text().equals(MetricKind.ERROR_RATIO)) {
      // It counts errors: a rule for many metrics cannot make more of them good.
      settled.put(MetricField.WORSE, "up");
    }
    String worse = settled.get(MetricField.WORSE);
    if (!"both".equals(worse)) {
      settled.put(MetricField.FAILURE, "up".equals(worse) ? "1" : "0");
    }
    return settled;
  }

  static Map<MetricField, String> none() {
    return new EnumMap<>(MetricField.class);
  }

  /** By pattern, from the least to the most specific. */
  SortedMap<MetricPattern, Map<MetricField, String>> rules() {
    return Collections.unmodifiableSortedMap(rules);
  }

  /** What any rule says in a field. */
  Set<String> values(MetricField field) {
    Set<String> values = new HashSet<>();
    for (Map<MetricField, String> rule : rules.values()) {
      String value = rule.get(field);
      if (value != null) {
        values.add(value);
      }
    }
    return values;
  }

  boolean isEmpty() {
    return rules.isEmpty();
  }

  private static MetricRules builtIn() {
    Map<MetricPattern, Map<MetricField, String>> rules = new TreeMap<>();
    rules.put(
        MetricPattern.ofKind(MetricKind.DURATION),
        kind("up", "5%", "20%", "ignore", Optional.empty()));
    rules.put(
        MetricPattern.ofKind(MetricKind.RATIO),
        kind("down", "0.002", "0.01", "ticket", Optional.of("0")));
    rules.put(
        MetricPattern.ofKind(MetricKind.SCORE), kind("down", "0", "0", "ticket", Optional.empty()));
    // A silent deployment is told once, by its latency.
    rules.put(MetricPattern.ofName("latency"), Map.of(MetricField.NO_DATA, "ticket"));
    rules.put(
        MetricPattern.ofName(MetricKind.ERROR_RATIO),
        Map.of(MetricField.WORSE, "up", MetricField.FAILURE, "1", MetricField.NO_DATA, "ignore"));
    // Parts of the latency: they say where it grew, and what users feel pages by the latency.
    Map<MetricField, String> part =
        Map.of(MetricField.BUDGET_WEIGHT, "0.5", MetricField.SEVERITY_CAP, "ticket");
    rules.put(MetricPattern.ofName("queue"), part);
    rules.put(STAGES, part);
    return of(rules);
  }

  private static Map<MetricField, String> kind(
      String worse, String minimum, String page, String noData, Optional<String> failure) {
    Map<MetricField, String> fields = none();
    fields.put(MetricField.WORSE, worse);
    fields.put(MetricField.MINIMUM_EFFECT, minimum);
    fields.put(MetricField.PAGE_EFFECT, page);
    fields.put(MetricField.SEVERITY_CAP, "page");
    fields.put(MetricField.NO_DATA, noData);
    fields.put(MetricField.CRITICAL, "false");
    fields.put(MetricField.MUTED, "false");
    fields.put(MetricField.BASELINE, "learned");
    fields.put(MetricField.BUDGET_WEIGHT, "1");
    failure.ifPresent(value -> fields.put(MetricField.FAILURE, value));
    return fields;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MetricRules same && same.rules.equals(rules);
  }

  @Override
  public int hashCode() {
    return rules.hashCode();
  }

  @Override
  public String toString() {
    return rules.toString();
  }
}
