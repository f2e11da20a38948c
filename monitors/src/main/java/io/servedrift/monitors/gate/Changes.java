package io.servedrift.monitors.gate;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.ConfigDiff;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What differs between the sides, and how to take it apart when it is more than one thing. */
final class Changes {
  /** The axis of a model that differs although its weights are the same. */
  static final String MODEL = "model";

  private Changes() {}

  static ChangedAxes of(EndpointFacts older, EndpointFacts newer) {
    ChangedAxes.Weights weights = weights(older, newer);
    JsonNode left = older.config();
    JsonNode right = newer.config();
    if (left == null || right == null) {
      return new ChangedAxes(weights, List.of(), List.of(), List.of());
    }
    SortedMap<String, List<ConfigDiff.Change>> byAxis = new TreeMap<>();
    for (ConfigDiff.Change change : ConfigDiff.ofConfigs(left, right).changes()) {
      if (change.counts()) {
        byAxis.computeIfAbsent(axis(change.path()), a -> new ArrayList<>()).add(change);
      }
    }
    List<String> lines =
        byAxis.values().stream()
            .flatMap(List::stream)
            .map(c -> c.text().strip())
            .collect(Collectors.toCollection(ArrayList::new));
    List<String> axes = new ArrayList<>(byAxis.keySet());
    if (weights == ChangedAxes.Weights.UNKNOWN && !model(older, newer).isEmpty()) {
      axes.add(MODEL);
      lines.addAll(model(older, newer));
    }
    return new ChangedAxes(weights, axes, lines, plan(byAxis, weights));
  }

  private static ChangedAxes.Weights weights(EndpointFacts older, EndpointFacts newer) {
    String left = older.weightsDigest();
    String right = newer.weightsDigest();
    if (left == null || right == null) {
      return ChangedAxes.Weights.UNKNOWN;
    }
    if (!left.equalsIgnoreCase(right)) {
      return ChangedAxes.Weights.DIFFERENT;
    }
    return model(older, newer).isEmpty() ? ChangedAxes.Weights.EQUAL : ChangedAxes.Weights.UNKNOWN;
  }

  /** What else of the model differs, e.g. an adapter: the digest speaks of the weights alone. */
  private static List<String> model(EndpointFacts older, EndpointFacts newer) {
    JsonNode left = older.model();
    JsonNode right = newer.model();
    if (left == null || right == null || Objects.equals(older.modelId(), newer.modelId())) {
      return List.of();
    }
    NavigableSet<String> names = new TreeSet<>();
    left.fieldNames().forEachRemaining(names::add);
    right.fieldNames().forEachRemaining(names::add);
    names.remove("weights_digest");
    return names.stream()
        .filter(name -> !left.path(name).equals(right.path(name)))
        .map(name -> "model." + name + ": " + left.path(name) + " -> " + right.path(name))
        .toList();
  }

  /** Each step keeps what the steps before it changed, and gates against the step before. */
  private static List<String> plan(
      SortedMap<String, List<ConfigDiff.Change>> byAxis, ChangedAxes.Weights weights) {
    boolean model = weights == ChangedAxes.Weights.DIFFERENT;
    if (byAxis.size() + (model ? 1 : 0) < 2) {
      return List.of();
    }
    List<String> steps = new ArrayList<>();
    byAxis.forEach(
        (axis, changes) ->
            steps.add(
                "Step "
                    + (steps.size() + 1)
                    + ", "
                    + axis
                    + " only: "
                    + changes.stream()
                        .map(c -> c.text().strip())
                        .collect(Collectors.joining("; "))));
    if (model) {
      steps.add("Step " + (steps.size() + 1) + ", model only: the new weights");
    }
    return steps;
  }

  private static String axis(String path) {
    int dot = path.indexOf('.');
    return dot < 0 ? path : path.substring(0, dot);
  }
}
