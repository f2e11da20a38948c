package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Moments;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Means and moments of values in a fixed order. */
final class Numbers {
  private Numbers() {}

  /** Mean of at least one value; sorted first, so that the order they come in does not matter. */
  static double mean(Collection<Double> values) {
    if (values.size() == 1) {
      return values.iterator().next();
    }
    List<Double> sorted = values.stream().sorted().toList();
    double sum = 0;
    for (double value : sorted) {
      sum += value;
    }
    return sum / sorted.size();
  }

  /** Moments in two passes. */
  static Moments moments(double[] values) {
    if (values.length == 0) {
      return Moments.NONE;
    }
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    double mean = sum / values.length;
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    return new Moments(values.length, mean, squares);
  }

  /** Standard deviation; 0 for a single value. */
  static double sd(Moments moments) {
    return moments.n() < 2 ? 0 : Math.sqrt(moments.variance());
  }

  /** One value per prompt: the mean over its seeds. Prompts are independent, its seeds are not. */
  static SortedMap<Integer, Double> byPrompt(SortedMap<Answers.Key, Double> values) {
    SortedMap<Integer, List<Double>> lists = new TreeMap<>();
    values.forEach(
        (key, value) -> lists.computeIfAbsent(key.prompt(), p -> new ArrayList<>()).add(value));
    SortedMap<Integer, Double> means = new TreeMap<>();
    lists.forEach((prompt, list) -> means.put(prompt, mean(list)));
    return means;
  }

  /** The values in the order of their keys. */
  static double[] array(SortedMap<?, Double> values) {
    return values.values().stream().mapToDouble(Double::doubleValue).toArray();
  }
}
