package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.OrderStatisticInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What every arm cost and how long its answers took; shown, it decides nothing. */
final class ArmTable {
  private static final double MICROS = 1e6;

  private final GateCase gate;

  ArmTable(GateCase gate) {
    this.gate = gate;
  }

  /** One row per arm, the open loop one per level. */
  List<ArmTail> tails() {
    List<ArmTail> tails = new ArrayList<>();
    rows().forEach((row, answers) -> tails.add(tail(row, answers)));
    return tails;
  }

  List<ArmCost> costs() {
    List<ArmCost> costs = new ArrayList<>();
    rows()
        .forEach(
            (row, answers) -> {
              if (answers.stream().anyMatch(Answer::ok)) {
                costs.add(cost(row, answers));
              }
            });
    return costs;
  }

  private record Row(Arm arm, @Nullable Double load) implements Comparable<Row> {
    @Override
    public int compareTo(Row other) {
      int order = arm.compareTo(other.arm);
      return order != 0
          ? order
          : Double.compare(
              Objects.requireNonNullElse(load, 0.0), Objects.requireNonNullElse(other.load, 0.0));
    }
  }

  private SortedMap<Row, List<Answer>> rows() {
    SortedMap<Row, List<Answer>> rows = new TreeMap<>();
    for (Arm arm : gate.answers().arms()) {
      for (Answer answer : gate.answers().of(arm)) {
        if (answer.status() != AnswerStatus.CANCELLED) {
          rows.computeIfAbsent(new Row(arm, answer.load()), r -> new ArrayList<>()).add(answer);
        }
      }
    }
    return rows;
  }

  private ArmTail tail(Row row, List<Answer> answers) {
    double warmUp =
        row.arm().regime() == Regime.OPEN_LOOP ? gate.evidence().settings().warmUpSeconds() : 0;
    Latencies latencies = Latencies.of(answers, null, warmUp);
    double[] sorted = latencies.sorted();
    double[] answered = latencies.answered();
    int n = sorted.length;
    return new ArmTail(
        row.arm(),
        row.load(),
        answers.size(),
        ErrorShares.errors(answers),
        answered.length,
        n < 2 ? null : quantile(sorted, 0.5),
        n < 10 ? null : quantile(sorted, 0.9),
        n < 100 ? null : quantile(sorted, 0.99),
        n < 100 ? null : interval(sorted),
        answered.length == 0 ? null : Double.valueOf(answered[answered.length - 1]));
  }

  /** Null where it falls on a request that got no answer. */
  private static @Nullable Double quantile(double[] sorted, double q) {
    double value = Latencies.quantile(sorted, q);
    return value == Latencies.NO_ANSWER ? null : Double.valueOf(value);
  }

  private static Interval interval(double[] sorted) {
    OrderStatisticInterval ranks = OrderStatisticInterval.of(sorted.length, 0.99, 0.95);
    double low =
        ranks.lowerRank().isPresent() ? sorted[(int) ranks.lowerRank().getAsLong() - 1] : 0;
    double high =
        ranks.upperRank().isPresent()
            ? sorted[(int) ranks.upperRank().getAsLong() - 1]
            : Double.POSITIVE_INFINITY;
    return new Interval(low, high == Latencies.NO_ANSWER ? Double.POSITIVE_INFINITY : high);
  }

  private ArmCost cost(Row row, List<Answer> answers) {
    List<Answer> good = answers.stream().filter(Answer::ok).toList();
    double busy = seconds(answers);
    List<Double> told =
        good.stream().map(a -> a.served().computeSeconds()).filter(Objects::nonNull).toList();
    Integer devices = gate.profile(row.arm().side()).devices();
    Double nodeSeconds = null;
    String source = "not known";
    if (told.size() == good.size()) {
      nodeSeconds = Numbers.mean(told);
      source = "told by the endpoint";
    } else if (devices != null && busy > 0) {
      nodeSeconds = devices * busy / good.size();
      source = "devices x time";
    }
    return new ArmCost(
        row.arm(),
        row.load(),
        good.size(),
        busy > 0 ? Double.valueOf(good.size() / busy) : null,
        nodeSeconds,
        source);
  }

  /** Time of the arm: its blocks from first sending to last answer, without what lies between. */
  private static double seconds(List<Answer> answers) {
    SortedMap<Integer, double[]> spans = new TreeMap<>();
    for (Answer answer : answers) {
      double from = answer.timing().sentAtMicros() / MICROS;
      double to = from + answer.timing().serviceSeconds();
      spans.merge(
          answer.block(),
          new double[] {from, to},
          (a, b) -> new double[] {Math.min(a[0], b[0]), Math.max(a[1], b[1])});
    }
    return spans.values().stream().mapToDouble(s -> s[1] - s[0]).sum();
  }
}
