package io.servedrift.monitors.ops;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which metrics and labels a query names, as far as the shipped queries go. */
final class PromQl {
  /** What Prometheus itself adds to every series. */
  private static final Set<String> OF_THE_SERVER = Set.of("job", "instance");

  private static final Pattern METRIC =
      Pattern.compile("(?<![:a-zA-Z0-9_])((?:servedrift|jvm|process)_[a-z0-9_]+)(?:\\{([^}]*)})?");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)\\s*\"");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on)\\s*\\(([^)]*)\\)");
  private static final Pattern SAMPLE = Pattern.compile("^([a-z_0-9]+)(?:\\{(.*)})? ");

  private PromQl() {}

  /** Label names of every metric in a scrape in the text format. */
  static Map<String, Set<String>> labelsOf(String scrape) {
    Map<String, Set<String>> found = new TreeMap<>();
    for (String line : scrape.lines().toList()) {
      Matcher sample = SAMPLE.matcher(line);
      if (sample.find()) {
        Set<String> labels = found.computeIfAbsent(sample.group(1), name -> new TreeSet<>());
        if (sample.group(2) != null) {
          Matcher label = LABEL.matcher(sample.group(2));
          while (label.find()) {
            labels.add(label.group(1));
          }
        }
      }
    }
    return found;
  }

  /** The metrics that a query names. */
  static Set<String> metrics(String query) {
    Set<String> found = new TreeSet<>();
    Matcher metric = METRIC.matcher(query);
    while (metric.find()) {
      found.add(metric.group(1));
    }
    return found;
  }

  /** What a query names that a scrape does not have, each as one line; empty when all is there. */
  static List<String> missing(String query, Map<String, Set<String>> scrape) {
    Set<String> missing = new TreeSet<>();
    Set<String> known = new TreeSet<>(OF_THE_SERVER);
    Matcher metric = METRIC.matcher(query);
    while (metric.find()) {
      Set<String> labels = scrape.get(metric.group(1));
      if (labels == null) {
        missing.add("metric " + metric.group(1));
        continue;
      }
      known.addAll(labels);
      Matcher label = LABEL.matcher(metric.group(2) == null ? "" : metric.group(2));
      while (label.find()) {
        if (!labels.contains(label.group(1)) && !OF_THE_SERVER.contains(label.group(1))) {
          missing.add("label " + label.group(1) + " of " + metric.group(1));
        }
      }
    }
    Matcher grouping = GROUPING.matcher(query);
    while (grouping.find()) {
      Arrays.stream(grouping.group(1).split(",", -1))
          .map(String::strip)
          .filter(label -> !known.contains(label))
          .forEach(label -> missing.add("label " + label + " of a grouping"));
    }
    return List.copyOf(missing);
  }
}
