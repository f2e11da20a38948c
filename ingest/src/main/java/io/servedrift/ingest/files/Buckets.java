package io.servedrift.ingest.files;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Buckets of a number by their lower edges, named by what falls into them: the whole edges {@code
 * 1, 2, 4, 8} give {@code <1}, {@code 1}, {@code 2-3}, {@code 4-7} and {@code 8+}. Between edges
 * that are not all whole the name is {@code from-to}, where {@code to} belongs to the next bucket.
 */
final class Buckets {
  private final List<BigDecimal> edges;
  private final List<String> labels;

  /**
   * @param edges at least one, rising
   */
  Buckets(List<BigDecimal> edges) {
    this.edges = List.copyOf(edges);
    this.labels = labels(edges);
  }

  String label(BigDecimal value) {
    int bucket = 0;
    while (bucket < edges.size() && value.compareTo(edges.get(bucket)) >= 0) {
      bucket++;
    }
    return labels.get(bucket);
  }

  private static List<String> labels(List<BigDecimal> edges) {
    boolean whole = edges.stream().allMatch(e -> e.stripTrailingZeros().scale() <= 0);
    List<String> labels = new ArrayList<>();
    labels.add("<" + edges.get(0).toPlainString());
    for (int i = 0; i + 1 < edges.size(); i++) {
      BigDecimal from = edges.get(i);
      BigDecimal to = whole ? edges.get(i + 1).subtract(BigDecimal.ONE) : edges.get(i + 1);
      boolean single = from.compareTo(to) == 0;
      labels.add(single ? from.toPlainString() : from.toPlainString() + "-" + to.toPlainString());
    }
    labels.add(edges.get(edges.size() - 1).toPlainString() + "+");
    return labels;
  }
}
