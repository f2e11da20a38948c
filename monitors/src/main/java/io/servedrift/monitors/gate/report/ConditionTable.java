package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.Arm;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.CheckResult;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Measure;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanInterval;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One score in the four conditions, (old, new) x (batch 1, production), and with the cache used
 * against recomputed, as lines for a terminal. Each number has its n and a 95 % interval of
 * Student's t; differences are paired by prompt and seed. Pure functions.
 */
public final class ConditionTable {
  private static final double LEVEL = .95;
  private static final int LEAST = 2;
  private static final Arm CLEAN = Arm.old(Regime.SINGLE);

  private ConditionTable() {}

  /** What was asked: answers of two arms with the same key are a pair. */
  private record Key(int prompt, long seed) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byPrompt = Integer.compare(prompt, other.prompt);
      return byPrompt != 0 ? byPrompt : Long.compare(seed, other.seed);
    }
  }

  /** A number with its n and interval; without an interval when there are too few. */
  private record Estimate(long n, double mean, double low, double high) {
    static Estimate of(Collection<Double> values) {
      double mean = values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
      if (values.size() < LEAST) {
        return new Estimate(values.size(), mean, Double.NaN, Double.NaN);
      }
      double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
      double sd = Math.sqrt(squares / (values.size() - 1));
      Interval interval = MeanInterval.of(values.size(), mean, sd, LEVEL);
      return new Estimate(values.size(), mean, interval.lower(), interval.upper());
    }

    String text(String form) {
      return n < LEAST
          ? "insufficient"
          : String.format(Locale.ROOT, form + " [" + form + ", " + form + "]", mean, low, high);
    }
  }

  /**
   * The lines, a heading first.
   *
   * @param score name of the score
   */
  public static List<String> lines(Evidence evidence, String score) {
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"condition", "n", score + " [95 %]", "n pairs", "difference [95 %]"});
    for (Side side : Side.values()) {
      boolean batches = evidence.before(side).profile().batches();
      String name = side.label();
      rows.add(row(evidence, score, name + ", alone, cache off", new Arm(side, Regime.SINGLE)));
      rows.add(
          row(
              evidence,
              score,
              name + (batches ? ", in production's batches" : ", production's load (no batches)"),
              new Arm(side, Regime.PRODUCTION)));
    }
    SortedMap<Key, Double> reuse = scores(evidence, score, Arm.fresh(Regime.REUSE));
    SortedMap<Key, Double> recompute = scores(evidence, score, Arm.fresh(Regime.RECOMPUTE));
    Estimate cache = differences(recompute, reuse);
    rows.add(
        new String[] {
          "new, cache used against recomputed",
          Integer.toString(reuse.size()),
          Estimate.of(reuse.values()).text("%.4f"),
          Long.toString(cache.n()),
          cache.text("%+.4f")
        });
    return align(rows, 1);
  }

  /**
   * Checks with the number that decides each, a line for each check.
   *
   * @param names of those to show
   */
  public static List<String> checks(GateResult result, Collection<CheckName> names) {
    List<String[]> rows = new ArrayList<>();
    for (CheckResult check : result.checks()) {
      if (names.contains(check.name())) {
        rows.add(
            new String[] {
              check.name().label(),
              GateText.words(check.state().label()),
              check.measures().isEmpty()
                  ? check.why()
                  : decided(GateText.deciding(check.state(), check.measures()))
            });
      }
    }
    return rows.isEmpty() ? List.of() : align(rows, rows.get(0).length);
  }

  private static String decided(Measure measure) {
    String margin = GateText.margin(measure);
    return measure.name()
        + " "
        + GateText.estimate(measure)
        + (margin.isEmpty() ? "" : ", " + margin)
        + ", n "
        + measure.n();
  }

  private static String[] row(Evidence evidence, String score, String name, Arm arm) {
    SortedMap<Key, Double> scores = scores(evidence, score, arm);
    Estimate mean = Estimate.of(scores.values());
    if (arm.equals(CLEAN)) {
      return new String[] {name, Long.toString(mean.n()), mean.text("%.4f"), "", "(compared with)"};
    }
    Estimate gap = differences(scores(evidence, score, CLEAN), scores);
    return new String[] {
      name, Long.toString(mean.n()), mean.text("%.4f"), Long.toString(gap.n()), gap.text("%+.4f")
    };
  }

  private static SortedMap<Key, Double> scores(Evidence evidence, String score, Arm arm) {
    SortedMap<Key, Double> scores = new TreeMap<>();
    for (Answer answer : evidence.answers()) {
      Double value = answer.scores().get(score);
      if (answer.arm().equals(arm) && answer.ok() && value != null) {
        scores.putIfAbsent(new Key(answer.prompt().index(), answer.prompt().seed()), value);
      }
    }
    return scores;
  }

  private static Estimate differences(SortedMap<Key, Double> left, SortedMap<Key, Double> right) {
    List<Double> differences = new ArrayList<>();
    right.forEach(
        (key, value) -> {
          Double other = left.get(key);
          if (other != null) {
            differences.add(value - other);
          }
        });
    return Estimate.of(differences);
  }

  /** Columns of equal width; the first of them hold words, which begin at the left. */
  private static List<String> align(List<String[]> rows, int words) {
    int[] widths = new int[rows.get(0).length];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String pad = " ".repeat(widths[i] - row[i].length());
        line.append(i == 0 ? "" : "  ").append(i < words ? row[i] + pad : pad + row[i]);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
