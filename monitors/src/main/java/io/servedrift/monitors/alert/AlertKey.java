package io.servedrift.monitors.alert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The labels of an alert. To Alertmanager they are its identity: an alert that is resolved with
 * other labels than it was raised with stays firing. So they are fixed here once, all of them
 * present and none empty, because Alertmanager drops an empty one. Immutable; equal labels are
 * equal keys.
 *
 * @param labels value by name, sorted by name
 */
public record AlertKey(SortedMap<String, String> labels) implements Comparable<AlertKey> {
  /** The labels of every alert (contract, section 7). */
  static final List<String> NAMES =
      List.of(
          "alertname",
          "config_id",
          "deployment",
          "direction",
          "metric",
          "model_id",
          "severity",
          "source",
          "statistic");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<TreeMap<String, String>> LABELS = new TypeReference<>() {};
  private static final String NONE = "none";
  private static final int LONGEST = 256;

  /**
   * Takes over the labels.
   *
   * @throws IllegalArgumentException when a label is missing, empty or one too many
   */
  public AlertKey {
    if (!List.copyOf(labels.keySet()).equals(NAMES) || labels.containsValue("")) {
      throw new IllegalArgumentException(
          "labels " + labels + ": must be " + NAMES + ", none of them empty");
    }
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /** The key of an alert. What is empty becomes {@code none}. */
  public static AlertKey of(
      AlertName name,
      AlertSeverity severity,
      String deployment,
      String modelId,
      String configId,
      String metric,
      String statistic,
      String direction) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("alertname", name.label());
    labels.put("severity", severity.word());
    // As it is: it decides who answers for the alert, as it decides where its findings are.
    labels.put("deployment", deployment.isEmpty() ? NONE : deployment);
    labels.put("model_id", value(modelId));
    labels.put("config_id", value(configId));
    labels.put("metric", value(metric));
    labels.put("statistic", value(statistic));
    labels.put("direction", value(direction));
    labels.put("source", "servedrift");
    return new AlertKey(labels);
  }

  /** Names come from events: nothing unprintable may pass, and nothing endless. */
  private static String value(String text) {
    String clean = AnnotationText.oneLine(text, LONGEST);
    return clean.isEmpty() ? NONE : clean;
  }

  /**
   * Reads what {@link #canonical} wrote.
   *
   * @throws IllegalArgumentException when it is something else
   */
  static AlertKey parse(String canonical) {
    try {
      return new AlertKey(JSON.readValue(canonical, LABELS));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("alert key: must be a JSON object of labels", e);
    }
  }

  /** One text for one set of labels: JSON, sorted by name. */
  public String canonical() {
    try {
      return JSON.writeValueAsString(labels);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("labels are text", e);
    }
  }

  /** The value of a label. */
  public String label(String name) {
    String value = labels.get(name);
    if (value == null) {
      throw new IllegalArgumentException("label " + name + ": must be one of " + NAMES);
    }
    return value;
  }

  /** What it is about. */
  public String deployment() {
    return label("deployment");
  }

  /** Whom it reaches. */
  public AlertSeverity severity() {
    return AlertSeverity.of(label("severity"))
        .orElseThrow(() -> new IllegalStateException("severity of " + labels));
  }

  /** The words that tell alerts of one deployment apart for a human. */
  String series() {
    return label("metric") + " " + label("statistic") + " " + label("direction");
  }

  @Override
  public int compareTo(AlertKey other) {
    return NAMES.stream()
        .mapToInt(name -> label(name).compareTo(other.label(name)))
        .filter(difference -> difference != 0)
        .findFirst()
        .orElse(0);
  }

  /** For logs: the labels that tell alerts apart. */
  @Override
  public String toString() {
    Map<String, String> shown = new TreeMap<>(labels);
    shown.remove("source");
    shown.replaceAll((name, text) -> AnnotationText.oneLine(text, LONGEST));
    return shown.toString();
  }
}
