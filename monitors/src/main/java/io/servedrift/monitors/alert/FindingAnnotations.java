package io.servedrift.monitors.alert;

import static io.servedrift.monitors.alert.AnnotationText.number;
import static io.servedrift.monitors.alert.AnnotationText.percent;
import static io.servedrift.monitors.alert.AnnotationText.signed;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * What an alert says, from the public JSON of a finding (contract, sections 4 and 7). What is not
 * known is left out; every text is bounded, as it travels in notifications.
 */
final class FindingAnnotations {
  private static final int LONGEST = 1000;

  private final JsonNode finding;
  private final AlertKey key;

  private FindingAnnotations(JsonNode finding, AlertKey key) {
    this.finding = finding;
    this.key = key;
  }

  /** Text by name of annotation; none is empty. */
  static Map<String, String> of(JsonNode finding, AlertKey key, AlertLinks links) {
    FindingAnnotations texts = new FindingAnnotations(finding, key);
    Map<String, String> all = new TreeMap<>();
    all.put("summary", texts.summary());
    all.put("description", texts.description());
    all.put("effect", texts.effect());
    all.put("cause", texts.text("/verdict/cause"));
    all.put("where", texts.where());
    all.put("share", texts.share());
    all.put("next_test", texts.text("/next_test/what"));
    all.put("finding_id", texts.text("/finding_id"));
    all.put("incident_id", texts.text("/incident_id"));
    all.put("explain", links.explain(texts.text("/finding_id")));
    all.putAll(links.of(key));
    all.replaceAll((annotation, text) -> AnnotationText.oneLine(text, LONGEST));
    all.values().removeIf(String::isEmpty);
    return all;
  }

  private String text(String pointer) {
    return finding.at(pointer).asText("");
  }

  private boolean has(String pointer) {
    return finding.at(pointer).isNumber();
  }

  private double value(String pointer) {
    return finding.at(pointer).asDouble();
  }

  /** No number in it: it stays the same for the life of the alert. */
  private String summary() {
    String what =
        switch (key.label("statistic")) {
          case "tail" -> "tail of " + key.label("metric");
          case "mean" -> "mean of " + key.label("metric");
          default -> key.label("metric");
        };
    String moved = key.label("direction").equals("changed") ? " has changed" : " got worse";
    return key.deployment() + ": " + what + moved;
  }

  private String description() {
    StringBuilder sentence = new StringBuilder(key.deployment()).append(": ");
    sentence.append(key.series()).append(", ").append(effect());
    sentence.append(" against the ").append(text("/baseline/kind")).append(" baseline");
    if (has("/baseline/n")) {
      sentence.append(" (n=").append(finding.at("/baseline/n").asLong()).append(')');
    }
    sentence.append(levels());
    if (has("/evidence/e_value")) {
      sentence.append("; e-value ").append(number(value("/evidence/e_value")));
      sentence.append(", threshold ").append(number(value("/evidence/threshold")));
    }
    sentence.append("; ").append(blame()).append('.');
    return sentence.toString();
  }

  /** Value, interval and n of the shift. */
  private String effect() {
    if (!has("/effect/value")) {
      return "size not known yet";
    }
    StringBuilder text = new StringBuilder();
    boolean relative = text("/effect/unit").equals("relative");
    if (!text("/effect/beyond").isEmpty()) {
      text.append("requests beyond the old ").append(text("/effect/beyond")).append(' ');
    }
    text.append(relative ? plus(value("/effect/value")) : signed(value("/effect/value")));
    JsonNode interval = finding.at("/effect/interval");
    StringJoiner inside = new StringJoiner(", ", " (", ")").setEmptyValue("");
    if (interval.size() == 2) {
      double lower = interval.path(0).asDouble();
      double upper = interval.path(1).asDouble();
      inside.add(
          percent(value("/effect/level"))
              + " interval "
              + (relative
                  ? plus(lower) + " to " + plus(upper)
                  : signed(lower) + " to " + signed(upper)));
    }
    if (has("/effect/n")) {
      inside.add("n=" + finding.at("/effect/n").asLong());
    }
    return text.append(relative ? "" : " " + text("/effect/unit")).append(inside).toString();
  }

  private static String plus(double share) {
    return (share > 0 ? "+" : "") + percent(share);
  }

  /** What it was and is, in the unit of the metric. */
  private String levels() {
    boolean slow = key.label("alertname").equals(AlertName.LATENCY_TAIL_SHIFT.label());
    String statistic = slow ? "p99" : "mean";
    String before = "/baseline/" + statistic;
    String now = "/current/" + statistic;
    if (!has(before) || !has(now)) {
      return "";
    }
    String range = "";
    JsonNode interval = finding.at(now + "_interval");
    if (interval.size() == 2) {
      range =
          " ("
              + number(interval.path(0).asDouble())
              + " to "
              + number(interval.path(1).asDouble())
              + ")";
    }
    return "; "
        + statistic
        + " was "
        + number(value(before))
        + ", is "
        + number(value(now))
        + range;
  }

  private String blame() {
    String cause = text("/verdict/cause");
    if (cause.isEmpty()) {
      return "cause not known yet";
    }
    List<String> parts = new ArrayList<>();
    if (!text("/verdict/mechanism").isEmpty()) {
      parts.add(text("/verdict/mechanism"));
    }
    if (!share().isEmpty()) {
      parts.add(share() + " of the shift");
    }
    String beside = parts.isEmpty() ? "" : " (" + String.join(", ", parts) + ")";
    String why = text("/verdict/why");
    return "cause " + cause + beside + (why.isEmpty() ? "" : ": " + why);
  }

  private String share() {
    return has("/verdict/share") ? percent(value("/verdict/share")) : "";
  }

  private String where() {
    StringJoiner cells = new StringJoiner(", ");
    finding
        .at("/verdict/where")
        .properties()
        .forEach(cell -> cells.add(cell.getKey() + "=" + cell.getValue().asText()));
    return cells.toString();
  }
}
