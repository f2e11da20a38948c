package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.testkit.CauseLabel;
import io.servedrift.monitors.testkit.FinishTimes;
import io.servedrift.monitors.testkit.Observation;
import io.servedrift.monitors.testkit.Outcome;
import io.servedrift.monitors.testkit.Scenario;
import io.servedrift.monitors.testkit.ScenarioScorer;
import io.servedrift.monitors.testkit.Truth;
import io.servedrift.schemas.avro.ServingEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Explains what the fault library does to simulated traffic on the path of the product: events,
 * both pane stages, reference cubes, attribution. What detection would have found is taken as
 * found: the window begins at the onset, the metric is one that the fault moves, and the direction
 * is that of the fault.
 */
final class FaultTester {
  private static final long PANE_MICROS = 60_000_000;

  private final ScenarioScorer scorer = new ScenarioScorer();
  private final List<String> wrong = new ArrayList<>();
  private final Map<String, int[]> places = new TreeMap<>();
  final List<String> undetected = new ArrayList<>();

  /** Whether a detector could have seen it: a shift well beyond sampling and ordinary wandering. */
  private static boolean detectable(Attribution found) {
    Attribution.Split split = found.split();
    double sampling = (split.interval().upper() - split.interval().lower()) / (2 * 1.96);
    double noise = Math.hypot(sampling, split.commonSd());
    double adjusted =
        split.total()
            - split.mechanisms().getOrDefault(Cause.LOAD, 0.0)
            - split.mechanisms().getOrDefault(Cause.TRAFFIC_MIX, 0.0);
    return Math.max(Math.abs(split.total()), Math.abs(adjusted)) > 4 * noise;
  }

  /** One attribution. */
  record Explained(String metric, FamilySpec family, Attribution attribution) {}

  ScenarioScorer scorer() {
    return scorer;
  }

  List<String> wrong() {
    return wrong;
  }

  /** Runs a scenario and explains each metric that its fault moves. */
  void run(String group, Scenario scenario, Duration window, PaneRun panes) {
    Truth truth = scenario.truth();
    for (Explained explained : explain(scenario, window, panes)) {
      if (!detectable(explained.attribution())) {
        undetected.add(group + " " + explained.metric() + "/" + explained.family().statistic());
        continue;
      }
      CauseLabel called = CauseLabel.of(explained.attribution().verdict().cause().label());
      Instant seen = scenario.onset().plus(window);
      scorer.add(
          new Observation(
              group,
              truth,
              scenario.settings().start(),
              scenario.onset(),
              seen.plus(Duration.ofMinutes(1)),
              FinishTimes.of(),
              List.of(new Outcome(seen, explained.metric(), called, true))));
      boolean right = truth.accepts(called);
      boolean place =
          right
              && truth.where().entrySet().stream()
                  .allMatch(
                      e ->
                          e.getValue()
                              .equals(explained.attribution().verdict().where().get(e.getKey())));
      int[] tally = places.computeIfAbsent(group, g -> new int[2]);
      tally[0] += place ? 1 : 0;
      tally[1] += right ? 1 : 0;
      if (!right || !place) {
        wrong.add(line(scenario, explained, right));
      }
    }
  }

  Map<String, int[]> places() {
    return places;
  }

  private static String line(Scenario scenario, Explained explained, boolean right) {
    Attribution a = explained.attribution();
    return String.format(
        Locale.ROOT,
        "%s %s %s/%s seed=%d truth=%s %s: %s%n    total=%.4f within=%.4f tau=%.4f mech=%s"
            + " unlike=%.2f%n    shares=%s%n    incl=%s",
        right ? "where" : "WRONG",
        scenario.name(),
        explained.metric(),
        explained.family().statistic(),
        scenario.settings().seed(),
        scenario.truth().cause(),
        scenario.truth().where(),
        a.verdict(),
        a.split().total(),
        a.split().within(),
        a.split().commonSd(),
        a.split().mechanisms(),
        a.split().unlike(),
        a.shares().stream()
            .map(
                s ->
                    String.format(
                        Locale.ROOT,
                        "%s %.4f+%.4f %.2f p%.2f",
                        s.cause(),
                        s.exposure(),
                        s.effect(),
                        s.share(),
                        s.probability()))
            .toList(),
        a.inclusions().stream()
            .limit(5)
            .map(
                i ->
                    String.format(
                        Locale.ROOT, "%s=%s %.3f", i.covariate(), i.level(), i.probability()))
            .toList());
  }

  /** All attributions of a scenario. */
  static List<Explained> explain(Scenario scenario, Duration window, PaneRun run) {
    List<Explained> result = new ArrayList<>();
    for (String metric : new TreeSet<>(scenario.truth().metrics())) {
      for (FamilySpec family : families(metric)) {
        explain(run, scenario, metric, family, window).ifPresent(result::add);
      }
    }
    return result;
  }

  private static List<FamilySpec> families(String metric) {
    return switch (metric) {
      case "latency", "inference", "queue" ->
          List.of(FamilySpec.durationMean(), FamilySpec.durationTail());
      case "error_ratio" -> List.of(FamilySpec.failureRatio(1));
      case "json_valid" -> List.of(FamilySpec.failureRatio(0));
      default -> List.of(FamilySpec.scoreMean());
    };
  }

  private static Optional<Explained> explain(
      PaneRun run, Scenario scenario, String metric, FamilySpec family, Duration window) {
    Instant start = scenario.settings().start().plus(Duration.ofMinutes(10));
    Instant onset = scenario.onset().plus(Duration.ofMinutes(1));
    Instant end = onset.plus(window);
    Optional<SeriesKey> before = largest(run, metric, start, scenario.onset());
    Optional<SeriesKey> after = largest(run, metric, onset, end);
    if (before.isEmpty() || after.isEmpty()) {
      return Optional.empty();
    }
    List<CellPane> reference = run.panes(before.get(), start, scenario.onset());
    List<CellPane> now = run.panes(after.get(), onset, end);
    Baseline baseline =
        BaselineLearner.learn(family, new MetricLayouts().layoutOf(metric), reference, PANE_MICROS);
    ReferenceCubes cubes = ReferenceCubes.of(baseline, reference);
    MetricView view = cubes.views().get(Math.min(2, cubes.views().size() - 1));
    Changes changes =
        new Changes(
            !before.get().modelId().equals(after.get().modelId()),
            !before.get().configId().equals(after.get().configId()),
            !scorers(reference).containsAll(scorers(now)));
    AttributionInput.Basis basis =
        before.get().equals(after.get())
            ? AttributionInput.Basis.SAME_CONFIGURATION
            : AttributionInput.Basis.PREDECESSOR;
    AttributionInput input =
        AttributionFeed.input(
            cubes,
            view,
            now,
            measure(scenario.truth(), family),
            basis,
            changes,
            events(run, scenario, onset));
    return Optional.of(new Explained(metric, family, new Attributor().attribute(input)));
  }

  private static Optional<SeriesKey> largest(PaneRun run, String metric, Instant from, Instant to) {
    return run.series().stream()
        .filter(k -> k.metric().equals(metric) && !k.configId().equals(SeriesKey.ALL))
        .filter(k -> requests(run.panes(k, from, to)) > 0)
        .max(Comparator.comparingLong(k -> requests(run.panes(k, from, to))));
  }

  private static long requests(List<CellPane> panes) {
    return panes.stream().flatMap(p -> p.cells().stream()).mapToLong(c -> c.values().n()).sum();
  }

  private static Set<String> scorers(List<CellPane> panes) {
    Set<String> scorers = new TreeSet<>();
    panes.stream()
        .flatMap(p -> p.margins().stream())
        .filter(m -> m.covariate().equals("scorer"))
        .forEach(m -> scorers.add(m.level()));
    return scorers;
  }

  private static Measure measure(Truth truth, FamilySpec family) {
    boolean duration = family.logarithmic();
    boolean failures = family.statistic() == FamilySpec.Statistic.RATIO;
    Measure all =
        failures
            ? Measure.failureRate()
            : !duration
                ? Measure.scoreMean()
                : family.statistic() == FamilySpec.Statistic.MEAN
                    ? Measure.latencyMean()
                    : Measure.latencyExceedance();
    boolean marginal =
        truth.cause() == CauseLabel.LOAD
            || truth.cause() == CauseLabel.TRAFFIC_MIX
            || truth.contributing().contains(CauseLabel.LOAD);
    int direction = duration || failures ? 1 : -1;
    return marginal ? all : all.adjusted(truth.direction().equals("worse") ? direction : 0);
  }

  private static Map<Cause, Double> events(PaneRun run, Scenario scenario, Instant onset) {
    Instant from = scenario.onset().minus(Duration.ofMinutes(EventWeights.MINUTES_BEFORE));
    Instant to = onset.plus(Duration.ofMinutes(EventWeights.MINUTES_AFTER));
    double days = Duration.between(scenario.settings().start(), from).toMinutes() / (24 * 60.0);
    Map<String, List<EventWeights.Near>> near = new TreeMap<>();
    Map<String, Integer> earlier = new TreeMap<>();
    for (ServingEvent event : run.servingEvents()) {
      String kind = event.getKind().name().toLowerCase(Locale.ROOT);
      earlier.putIfAbsent(kind, 0);
      if (event.getAt().isBefore(from)) {
        earlier.merge(kind, 1, Integer::sum);
      } else if (event.getAt().isBefore(to)) {
        near.computeIfAbsent(kind, k -> new ArrayList<>())
            .add(
                new EventWeights.Near(
                    event.getEventId(),
                    Duration.between(event.getAt(), scenario.onset()).toSeconds()));
      }
    }
    List<EventWeights.History> histories = new ArrayList<>();
    earlier.forEach(
        (kind, count) ->
            histories.add(
                new EventWeights.History(
                    kind, count, Math.max(days, .01), near.getOrDefault(kind, List.of()))));
    int minutes = EventWeights.MINUTES_BEFORE + EventWeights.MINUTES_AFTER + 1;
    return new EventWeights(histories, minutes).logBayesFactors();
  }
}
