package io.servedrift.monitors.testkit;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.OrderStatisticInterval;
import io.servedrift.monitors.stats.ProportionInterval;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Scores what a monitor said against what was true: detection rate, delay, false alarms and causes,
 * each with an exact 95 % interval (Clopper-Pearson for shares, order statistics for the median
 * delay, Garwood for rates). The rules:
 *
 * <ul>
 *   <li>A false alarm is a page or ticket before the onset, or at any time where nobody had to be
 *       told (silence, load, traffic mix).
 *   <li>A fault is detected by the first outcome at or after its onset in one of its metrics; where
 *       someone has to be told, only outcomes that page or ticket count.
 *   <li>The delay runs from the onset to that outcome; a fault that was missed is later than all.
 *   <li>The cause is that outcome's. It decides unless it is {@code inconclusive}.
 * </ul>
 *
 * Not thread-safe.
 */
public final class ScenarioScorer {
  private static final double LEVEL = 0.95;
  private static final double MONTH_SECONDS = 30 * 86_400.0;

  private final Map<String, List<Observation>> groups = new LinkedHashMap<>();

  /** Adds what was seen of one series or scenario. */
  public void add(Observation observation) {
    groups.computeIfAbsent(observation.group(), name -> new ArrayList<>()).add(observation);
  }

  /** A share of n with its interval. */
  public record Share(long hits, long n, Interval interval) {
    static Share of(long hits, long n) {
      return new Share(
          hits, n, n == 0 ? new Interval(0, 1) : ProportionInterval.clopperPearson(hits, n, LEVEL));
    }

    /** The share itself, not a number when n is 0. */
    public double value() {
      return hits / (double) n;
    }

    String text() {
      return n == 0
          ? "-"
          : String.format(
              Locale.ROOT,
              "%d/%d %.3f (%.3f..%.3f)",
              hits,
              n,
              value(),
              interval.lower(),
              interval.upper());
    }
  }

  /**
   * Median and 90th percentile of a delay. Infinite: more than that share was missed.
   *
   * @param median nearest-rank median
   * @param lower of its interval; the sample is too small for one when it is negative infinity
   * @param upper of its interval
   * @param p90 nearest-rank 90th percentile
   */
  public record Delay(double median, double lower, double upper, double p90) {
    static Delay of(double[] delays) {
      if (delays.length == 0) {
        return new Delay(
            Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Double.NaN);
      }
      double[] sorted = delays.clone();
      Arrays.sort(sorted);
      OrderStatisticInterval ranks = OrderStatisticInterval.of(sorted.length, 0.5, LEVEL);
      return new Delay(
          sorted[(int) Math.ceil(0.5 * sorted.length) - 1],
          at(sorted, ranks.lowerRank(), Double.NEGATIVE_INFINITY),
          at(sorted, ranks.upperRank(), Double.POSITIVE_INFINITY),
          sorted[(int) Math.ceil(0.9 * sorted.length) - 1]);
    }

    private static double at(double[] sorted, OptionalLong rank, double otherwise) {
      return rank.isPresent() ? sorted[(int) rank.getAsLong() - 1] : otherwise;
    }

    String text() {
      if (Double.isNaN(median)) {
        return "-";
      }
      return number(median) + " (" + number(lower) + ".." + number(upper) + ") p90 " + number(p90);
    }

    private static String number(double x) {
      return Double.isInfinite(x) ? (x > 0 ? "never" : "0") : String.format(Locale.ROOT, "%.0f", x);
    }
  }

  /**
   * Alarms where none was due.
   *
   * @param alarms number
   * @param months of 30 days that were watched while nothing was due
   * @param perMonth interval of the rate per series and month
   * @param silent share of the series without any
   */
  public record FalseAlarms(long alarms, double months, Interval perMonth, Share silent) {
    /** Alarms per series and month of 30 days. */
    public double rate() {
      return alarms / months;
    }

    String text() {
      return months == 0
          ? "-"
          : String.format(
              Locale.ROOT,
              "%d in %.1f months, %.3f (%.3f..%.3f)",
              alarms,
              months,
              rate(),
              perMonth.lower(),
              perMonth.upper());
    }
  }

  /**
   * The figures of one group.
   *
   * @param series number of series or scenarios
   * @param detected share of the faults that were found
   * @param minutes delay in minutes
   * @param requests delay in requests of the series
   * @param falseAlarms alarms where none was due
   * @param causeRight share of the detected faults whose cause is right
   * @param rightWhenDecided the same among those that are not {@code inconclusive}
   * @param servingCalledModel share of the serving faults detected that are called {@code model}
   */
  public record Row(
      int series,
      Share detected,
      Delay minutes,
      Delay requests,
      FalseAlarms falseAlarms,
      Share causeRight,
      Share rightWhenDecided,
      Share servingCalledModel) {}

  /** The figures by group, in the order in which the groups were first seen. */
  public Map<String, Row> rows() {
    Map<String, Row> rows = new LinkedHashMap<>();
    groups.forEach((group, observations) -> rows.put(group, row(observations)));
    return rows;
  }

  /** The figures over all groups. */
  public Row total() {
    return row(groups.values().stream().flatMap(List::stream).toList());
  }

  private static Row row(List<Observation> observations) {
    List<Observation> faults =
        observations.stream().filter(o -> o.truth().cause() != CauseLabel.SILENCE).toList();
    double[] minutes = new double[faults.size()];
    double[] requests = new double[faults.size()];
    long detected = 0;
    long right = 0;
    long decided = 0;
    long serving = 0;
    long servingModel = 0;
    for (int i = 0; i < faults.size(); i++) {
      Observation fault = faults.get(i);
      minutes[i] = Double.POSITIVE_INFINITY;
      requests[i] = Double.POSITIVE_INFINITY;
      Optional<Outcome> found = detection(fault);
      if (found.isEmpty()) {
        continue;
      }
      CauseLabel cause = found.get().cause();
      detected++;
      minutes[i] = Duration.between(fault.onset(), found.get().detectedAt()).toMillis() / 60_000.0;
      requests[i] = fault.requests().between(fault.onset(), found.get().detectedAt());
      right += fault.truth().accepts(cause) ? 1 : 0;
      decided += cause != CauseLabel.INCONCLUSIVE ? 1 : 0;
      serving += fault.truth().cause().isServing() ? 1 : 0;
      servingModel += fault.truth().cause().isServing() && cause == CauseLabel.MODEL ? 1 : 0;
    }
    long rightDecided =
        faults.stream()
            .flatMap(fault -> detection(fault).stream().filter(found -> decidedRight(fault, found)))
            .count();
    boolean counted = faults.stream().anyMatch(o -> o.requests().known());
    return new Row(
        observations.size(),
        Share.of(detected, faults.size()),
        Delay.of(minutes),
        Delay.of(counted ? requests : new double[0]),
        falseAlarms(observations),
        Share.of(right, detected),
        Share.of(rightDecided, decided),
        Share.of(servingModel, serving));
  }

  private static boolean decidedRight(Observation fault, Outcome found) {
    return found.cause() != CauseLabel.INCONCLUSIVE && fault.truth().accepts(found.cause());
  }

  private static Optional<Outcome> detection(Observation fault) {
    return fault.outcomes().stream()
        .filter(o -> !o.detectedAt().isBefore(fault.onset()))
        .filter(o -> !o.detectedAt().isAfter(fault.to()))
        .filter(o -> o.alerts() || !fault.alerting())
        .filter(
            o -> fault.truth().metrics().isEmpty() || fault.truth().metrics().contains(o.metric()))
        .findFirst();
  }

  private static FalseAlarms falseAlarms(List<Observation> observations) {
    long alarms = 0;
    long silent = 0;
    double seconds = 0;
    for (Observation o : observations) {
      Instant end = o.alerting() && o.onset().isBefore(o.to()) ? o.onset() : o.to();
      long here =
          o.outcomes().stream()
              .filter(Outcome::alerts)
              .filter(outcome -> !outcome.detectedAt().isBefore(o.from()))
              .filter(
                  outcome ->
                      o.alerting()
                          ? outcome.detectedAt().isBefore(end)
                          : !outcome.detectedAt().isAfter(end))
              .count();
      alarms += here;
      silent += here == 0 ? 1 : 0;
      seconds += Math.max(0, Duration.between(o.from(), end).toMillis() / 1_000.0);
    }
    double months = seconds / MONTH_SECONDS;
    return new FalseAlarms(
        alarms,
        months,
        months > 0
            ? PoissonInterval.rate(alarms, months, LEVEL)
            : new Interval(0, Double.MAX_VALUE),
        Share.of(silent, observations.size()));
  }

  /**
   * How often a true cause was called what, over all groups. A fault that was missed, and silence
   * that stayed silent, count as {@link CauseLabel#SILENCE}; an alarm in silence counts as what it
   * was called.
   */
  public Map<CauseLabel, Map<CauseLabel, Integer>> confusion() {
    Map<CauseLabel, Map<CauseLabel, Integer>> matrix = new EnumMap<>(CauseLabel.class);
    groups.values().stream()
        .flatMap(List::stream)
        .forEach(
            o ->
                matrix
                    .computeIfAbsent(o.truth().cause(), c -> new EnumMap<>(CauseLabel.class))
                    .merge(called(o), 1, Integer::sum));
    return matrix;
  }

  private static CauseLabel called(Observation o) {
    if (o.truth().cause() != CauseLabel.SILENCE) {
      return detection(o).map(Outcome::cause).orElse(CauseLabel.SILENCE);
    }
    return o.outcomes().stream()
        .filter(Outcome::alerts)
        .filter(outcome -> !outcome.detectedAt().isBefore(o.from()))
        .findFirst()
        .map(Outcome::cause)
        .orElse(CauseLabel.SILENCE);
  }

  /** Everything as a table for people. */
  public String table() {
    List<String[]> lines = new ArrayList<>();
    lines.add(
        new String[] {
          "group",
          "series",
          "detected",
          "delay, min (95 %)",
          "delay, requests (95 %)",
          "false alarms per month (95 %)",
          "cause right",
          "right when decided",
          "serving called model"
        });
    rows().forEach((group, row) -> lines.add(cells(group, row)));
    if (groups.size() > 1) {
      lines.add(cells("all", total()));
    }
    StringBuilder text = new StringBuilder();
    write(lines, text);
    text.append("\ntrue cause by row, called by column; silence: not found, or rightly silent\n");
    write(confusionLines(), text);
    return text.toString();
  }

  private static String[] cells(String group, Row row) {
    return new String[] {
      group,
      Integer.toString(row.series),
      row.detected.text(),
      row.minutes.text(),
      row.requests.text(),
      row.falseAlarms.text(),
      row.causeRight.text(),
      row.rightWhenDecided.text(),
      row.servingCalledModel.text()
    };
  }

  private List<String[]> confusionLines() {
    Map<CauseLabel, Map<CauseLabel, Integer>> matrix = confusion();
    List<CauseLabel> columns =
        Arrays.stream(CauseLabel.values())
            .filter(c -> matrix.values().stream().anyMatch(row -> row.containsKey(c)))
            .toList();
    List<String[]> lines = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("true"));
    columns.forEach(c -> head.add(c.word()));
    lines.add(head.toArray(String[]::new));
    matrix.forEach(
        (truth, row) -> {
          List<String> line = new ArrayList<>(List.of(truth.word()));
          columns.forEach(c -> line.add(Integer.toString(row.getOrDefault(c, 0))));
          lines.add(line.toArray(String[]::new));
        });
    return lines;
  }

  private static void write(List<String[]> lines, StringBuilder text) {
    int[] widths = new int[lines.get(0).length];
    for (String[] line : lines) {
      for (int i = 0; i < line.length; i++) {
        widths[i] = Math.max(widths[i], line[i].length());
      }
    }
    for (String[] line : lines) {
      for (int i = 0; i < line.length; i++) {
        text.append(i == 0 ? "" : "  ").append(line[i]);
        if (i < line.length - 1) {
          text.append(" ".repeat(widths[i] - line[i].length()));
        }
      }
      text.append('\n');
    }
  }
}
