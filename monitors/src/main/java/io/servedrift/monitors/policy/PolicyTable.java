package io.servedrift.monitors.policy;

import java.util.Map;

/**
 * The tables of the policy in the documentation, written from the fields so that they stay true.
 */
public final class PolicyTable {

  private PolicyTable() {}

  /** Every field with default, what is allowed and meaning, as Markdown. */
  public static String fields() {
    StringBuilder table = new StringBuilder("| field | default | allowed | meaning |\n");
    table.append("|---|---|---|---|\n");
    for (PolicyField<?> field : PolicyField.all()) {
      if (field.equals(PolicyField.DEPLOYMENT_FALSE_ALARMS)) {
        metricFields(table);
      }
      row(table, field.path(), field.shownDefault(), field.type().allowed(), field.meaning());
    }
    return table.toString();
  }

  private static void metricFields(StringBuilder table) {
    for (MetricField field : MetricField.values()) {
      row(
          table,
          "metrics.PATTERN." + field.key(),
          "by metric",
          field.type().allowed(),
          field.meaning());
    }
  }

  private static void row(
      StringBuilder table, String path, String shown, String allowed, String meaning) {
    table.append("| `" + path + "` | " + shown + " | " + allowed + " | " + meaning + " |\n");
  }

  /** What holds for metrics without a file, as Markdown: the fields of each standard pattern. */
  public static String metricDefaults() {
    StringBuilder table = new StringBuilder("| pattern |");
    for (MetricField field : MetricField.values()) {
      table.append(" `" + field.key() + "` |");
    }
    table.append("\n|---|" + "---|".repeat(MetricField.values().length) + "\n");
    Map<MetricPattern, Map<MetricField, String>> rules = Policy.defaults().metrics().rules();
    for (MetricPattern pattern : MetricRules.standard().keySet()) {
      table.append("| `" + pattern.text() + "` |");
      Map<MetricField, String> rule = rules.getOrDefault(pattern, Map.of());
      for (MetricField field : MetricField.values()) {
        table.append(" " + rule.getOrDefault(field, "") + " |");
      }
      table.append("\n");
    }
    return table.toString();
  }
}
