package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.pane.Exemplar;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * Requests that may be shown as examples: the samples of the latest panes of one series. Which
 * requests they are depends on their ids alone, not on the order in which they came. Bounded. Not
 * thread-safe.
 */
final class ExemplarMemory {
  private static final int MOST = 2000;

  private final Deque<Exemplar> recent = new ArrayDeque<>();

  void add(List<Exemplar> exemplars) {
    recent.addAll(exemplars);
    while (recent.size() > MOST) {
      recent.removeFirst();
    }
  }

  /** Up to a number of requests of a cell since a time, those with the smallest hashes. */
  List<Exemplar> pick(Map<String, String> cell, long sinceMicros, int most) {
    List<Exemplar> found = new ArrayList<>();
    for (Exemplar one : recent) {
      if (one.atMicros() >= sinceMicros && fits(one, cell)) {
        found.add(one);
      }
    }
    found.sort(Comparator.comparing(Exemplar::hash, Long::compareUnsigned));
    return List.copyOf(found.subList(0, Math.min(most, found.size())));
  }

  /** Whether a request lies in a cell as findings name them: {@code batch} may be a lower limit. */
  private static boolean fits(Exemplar one, Map<String, String> cell) {
    for (Map.Entry<String, String> part : cell.entrySet()) {
      boolean fits =
          switch (part.getKey()) {
            case "cache" -> one.cache().equals(part.getValue());
            case "batch" -> fitsBatch(one.batch(), part.getValue());
            case "prompt_class" -> part.getValue().equals(one.promptClass());
            case "node" -> one.node().equals(part.getValue());
            // Of other covariates nothing is remembered: no example is better than a wrong one.
            default -> false;
          };
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  private static boolean fitsBatch(String bucket, String wanted) {
    if (bucket.equals(wanted) || !wanted.endsWith("+")) {
      return bucket.equals(wanted);
    }
    int smallest = smallest(bucket);
    return smallest > 0 && smallest >= smallest(wanted);
  }

  private static int smallest(String bucket) {
    int end = 0;
    while (end < bucket.length() && Character.isDigit(bucket.charAt(end))) {
      end++;
    }
    return end == 0 ? 0 : Integer.parseInt(bucket.substring(0, end));
  }

  void write(Content.Writer out) {
    out.count(recent.size());
    for (Exemplar one : recent) {
      out.whole(one.hash());
      out.text(one.requestId());
      out.number(one.value());
      out.text(one.cache());
      out.text(one.batch());
      out.text(one.promptClass());
      out.text(one.node());
      out.whole(one.atMicros());
    }
  }

  static ExemplarMemory read(Content.Reader in) {
    ExemplarMemory memory = new ExemplarMemory();
    for (int left = in.count(); left > 0; left--) {
      memory.recent.add(
          new Exemplar(
              in.whole(),
              in.text(),
              in.number(),
              in.text(),
              in.text(),
              in.text(),
              in.text(),
              in.whole()));
    }
    return memory;
  }
}
