package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Changes;
import io.servedrift.monitors.baseline.BaselineGrowth;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.LoadMeter;
import io.servedrift.monitors.detection.AlarmLevels;
import io.servedrift.monitors.detection.BudgetShares;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.BaselinePolicy;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.ServingEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Judges one deployment: its load, its serving events, who serves since when, the false-alarm
 * budget over all its families, and its series. Not thread-safe.
 */
final class DeploymentJudge {
  /** Groups beyond the budget of series, together: nothing is known of what is in them. */
  private static final String OTHER = "other";

  /** A configuration that has been replaced ends its findings after so long without requests. */
  private static final long REPLACED = Micros.HOUR;

  private static final double HALF = .5;
  private static final long SILENT = Micros.DAY;
  private static final long FORGOTTEN = 8 * Micros.DAY;

  /** A successor is recognised within a day of its first request. */
  private static final long NEW = Micros.DAY;

  /** Panes between two looks for a predecessor. */
  private static final int COMPARE_EVERY = 5;

  private static final int MOST_PROMOTED = 1000;

  private static final int MOST_EVALS = 1000;

  private static final long LOADS_KEPT = Micros.HOUR;

  private final String deployment;
  private final JudgeParts parts;
  private final String policyHash;
  private final BaselineGrowth growth;
  private EventLog events = new EventLog();
  private GroupTimeline groups = new GroupTimeline();
  private Incidents incidents = new Incidents();
  private final SortedMap<SeriesKey, SeriesJudge> series = new TreeMap<>();
  private final TreeMap<Long, Double> loads = new TreeMap<>();
  private final SortedSet<SeriesKey> compared = new TreeSet<>();
  private final NavigableSet<String> promoted = new TreeSet<>();
  private final SortedMap<String, RecordedEval> evals = new TreeMap<>();
  private final Comparator<RecordedEval> forgottenFirst;
  private LoadMeter meter;
  private @Nullable SortedMap<String, AlarmLevels> levels;

  DeploymentJudge(String deployment, JudgeParts parts) {
    this.deployment = deployment;
    this.parts = parts;
    policyHash = parts.policyHash();
    Pace pace = parts.pace();
    BaselinePolicy baseline = parts.policy().baseline();
    growth =
        new BaselineGrowth(
            new BaselineGrowth.Settings(
                pace.judged(baseline.leastDuration()),
                baseline.leastRequests(),
                pace.judged(baseline.fullDuration()),
                pace.judged(parts.policy().warmUp())));
    meter = new LoadMeter(paneMicros());
    Set<String> named = parts.policy().evals(deployment);
    forgottenFirst =
        Comparator.comparing((RecordedEval eval) -> named.contains(eval.name()))
            .thenComparing(RecordedEval.AGE);
  }

  BaselineGrowth growth() {
    return growth;
  }

  String policyHash() {
    return policyHash;
  }

  Policy policy() {
    return parts.policy();
  }

  Pace pace() {
    return parts.pace();
  }

  /** Why nobody wants to be told at a time of the judge. */
  Optional<String> maintenance(long micros) {
    return policy().maintenance(deployment, parts.pace().actual(micros));
  }

  MetricLayouts layouts() {
    return parts.layouts();
  }

  long paneMicros() {
    return parts.pace().judged(parts.settings().paneMicros());
  }

  /** From the end of a pane to the time at which all of it is known. */
  long graceMicros(PaneKind kind) {
    PaneSettings settings = parts.settings();
    long grace =
        settings.graceMicros() + (kind == PaneKind.SCORE ? settings.scoreGraceMicros() : 0);
    return parts.pace().judged(grace);
  }

  EventLog events() {
    return events;
  }

  Incidents incidents() {
    return incidents;
  }

  List<String> changedAxes(String fromConfigId, String toConfigId) {
    return parts.axes().changed(fromConfigId, toConfigId);
  }

  void write(ObjectNode body) {
    parts.output().finding(FindingBody.record(parts.pace().told(body)));
  }

  /**
   * Whether traffic is spread over so many models and configurations that the whole says more than
   * the largest part, which is judged by itself.
   */
  boolean spread() {
    return groups.largestShareSince(lastPane() - Micros.DAY) < HALF;
  }

  private long lastPane() {
    return loads.isEmpty() ? Long.MIN_VALUE / 2 : loads.lastKey();
  }

  Changes changesAround(long earliestMicros, long latestMicros, boolean scorer) {
    return groups.startedBetween(
        earliestMicros - 30 * Micros.MINUTE, latestMicros + 5 * Micros.MINUTE, scorer);
  }

  void event(ServingEvent event) {
    events.add(event);
  }

  /**
   * Keeps the latest result of each evaluation, or the one that takes its place. Beyond a number
   * the oldest is forgotten, and first of those that the policy does not name: they are kept only
   * for a policy to come.
   */
  void eval(EvalResult result) {
    if (!RecordedEval.isUsable(result)) {
      parts.tally().count("evals_unusable");
      return;
    }
    RecordedEval recorded = RecordedEval.of(result);
    evals.merge(recorded.name(), recorded, RecordedEval::standing);
    if (evals.size() > MOST_EVALS) {
      evals.remove(Collections.min(evals.values(), forgottenFirst).name());
    }
  }

  /** The latest result of an evaluation, {@code name/metric}; null when none was recorded. */
  @Nullable RecordedEval latestEval(String name) {
    return evals.get(name);
  }

  void decision(Decision decision) {
    String by = decision.getBy() == null ? "" : decision.getBy();
    String why = decision.getWhy() == null ? "" : decision.getWhy();
    long at = Micros.of(decision.getAt());
    switch (decision.getKind()) {
      case ACCEPT -> {
        String id = decision.getFindingId();
        boolean found =
            id != null && series.values().stream().anyMatch(one -> one.accept(id, by, why, at));
        parts.tally().count(found ? "findings_accepted" : "decisions_without_finding");
      }
      case BASELINE_PROMOTE -> promote(decision, by, why, at);
      case BASELINE_PIN -> pin(decision);
      default -> parts.tally().count("decisions_unknown");
    }
  }

  /** May come before the configuration serves: a gate passes before the rollout. */
  private void promote(Decision decision, String by, String why, long atMicros) {
    String config = decision.getConfigId();
    if (config != null) {
      promoted.add(config);
      if (promoted.size() > MOST_PROMOTED) {
        promoted.remove(promoted.first());
      }
    }
    series.forEach(
        (key, one) -> {
          if (config == null || key.configId().equals(config)) {
            one.promote(by, why, atMicros);
          }
        });
  }

  private void pin(Decision decision) {
    if (decision.getFrom() == null || decision.getTo() == null) {
      parts.tally().count("decisions_unknown");
      return;
    }
    long from = Micros.of(decision.getFrom());
    long to = Micros.of(decision.getTo());
    series.forEach(
        (key, one) -> {
          String config = decision.getConfigId();
          if (config == null || key.configId().equals(config)) {
            parts.tally().count(one.pin(from, to) ? "baselines_pinned" : "pins_without_panes");
          }
        });
  }

  /** Takes the next pane, LATENCY before SCORE of the same time. */
  void pane(MergedPane pane) {
    double load = load(pane);
    events.observedSince(pane.startMicros());
    SortedMap<String, List<CellPane.JointCell>> everything = new TreeMap<>();
    for (MergedPane.Series one : pane.series()) {
      SeriesKey key = one.key();
      if (key.configId().equals(OTHER) || key.configId().equals(SeriesKey.ALL)) {
        continue;
      }
      CellPane cells = CellPane.of(pane, one, load);
      judge(key, pane.kind()).pane(cells, one.exemplars());
      everything
          .computeIfAbsent(key.metric(), metric -> new ArrayList<>())
          .addAll(prefixed(key, cells.cells()));
    }
    for (MergedPane.Series one : pane.series()) {
      if (one.key().configId().equals(SeriesKey.ALL)) {
        CellPane own = CellPane.of(pane, one, load);
        List<CellPane.JointCell> cells = everything.getOrDefault(one.key().metric(), List.of());
        judge(one.key(), pane.kind()).pane(own.withCells(cells), one.exemplars());
      }
    }
    if (pane.kind() == PaneKind.LATENCY) {
      lookAfter(pane.startMicros());
    }
  }

  /** What is held of each series, in the order of their keys. */
  List<SeriesStanding> standings() {
    List<SeriesStanding> all = new ArrayList<>();
    for (SeriesJudge one : series.values()) {
      all.add(one.standing());
    }
    return all;
  }

  /** In the series over everything, the configuration is part of what was asked for. */
  private static List<CellPane.JointCell> prefixed(SeriesKey key, List<CellPane.JointCell> cells) {
    String prefix = key.modelId() + "@" + key.configId() + " / ";
    List<CellPane.JointCell> named = new ArrayList<>(cells.size());
    for (CellPane.JointCell cell : cells) {
      named.add(cell.ofClass(prefix + cell.trafficClass()));
    }
    return named;
  }

  /** A series, if it has had a pane. */
  Optional<SeriesContext> series(SeriesKey key) {
    return Optional.ofNullable(series.get(key));
  }

  private SeriesJudge judge(SeriesKey key, PaneKind kind) {
    return series.computeIfAbsent(key, k -> new SeriesJudge(this, k, kind));
  }

  private double load(MergedPane pane) {
    long start = pane.startMicros();
    if (pane.kind() == PaneKind.LATENCY) {
      for (MergedPane.Series one : pane.series()) {
        if (one.key().metric().equals("error_ratio") && !one.key().configId().equals(OTHER)) {
          Group group = Group.of(one.key());
          if (!group.everything()) {
            groups.add(group, start, one.total().n());
          }
        }
      }
      double load = meter.observe(start, pane.arrivals());
      loads.put(start, load);
      loads.headMap(start - LOADS_KEPT).clear();
      return load;
    }
    Map.Entry<Long, Double> known = loads.floorEntry(start);
    return known == null ? 0 : known.getValue();
  }

  /** Once a pane: successors, series that have stopped, old groups. */
  private void lookAfter(long startMicros) {
    Map<Group, Optional<Group>> predecessors = new HashMap<>();
    boolean compare = Math.floorMod(startMicros / paneMicros(), COMPARE_EVERY) == 0;
    for (Map.Entry<SeriesKey, SeriesJudge> entry : List.copyOf(series.entrySet())) {
      SeriesKey key = entry.getKey();
      SeriesJudge one = entry.getValue();
      Group group = Group.of(key);
      if (compare && !group.everything()) {
        compareWithPredecessor(key, one, group, predecessors, startMicros);
      }
      long silent = startMicros - one.lastMicros();
      if (silent >= REPLACED && one.watching()) {
        boolean replaced =
            !group.everything()
                && groups.lastOfOthers(group) > one.lastMicros()
                && groups.hasStopped(group, startMicros);
        if (replaced || silent >= SILENT) {
          one.stopped(
              startMicros + paneMicros(),
              replaced ? "the configuration no longer serves" : "no traffic for a day");
        }
      }
      if (silent > FORGOTTEN) {
        series.remove(key);
        compared.remove(key);
        budgetChanged();
      }
    }
    groups.forgetBefore(startMicros);
  }

  private void compareWithPredecessor(
      SeriesKey key,
      SeriesJudge one,
      Group group,
      Map<Group, Optional<Group>> predecessors,
      long startMicros) {
    Optional<Long> first = groups.firstMicros(group);
    if (promoted.contains(group.configId())
        || compared.contains(key)
        || first.isEmpty()
        || startMicros - first.get() > NEW) {
      return;
    }
    Optional<Group> before =
        predecessors.computeIfAbsent(
            group, successor -> groups.predecessorOf(successor, events, startMicros));
    if (before.isPresent()) {
      SeriesKey old =
          new SeriesKey(deployment, before.get().modelId(), before.get().configId(), key.metric());
      SeriesJudge predecessor = series.get(old);
      if (predecessor == null || one.compareWith(predecessor)) {
        compared.add(key);
      }
    }
  }

  /** Levels of a family under the budget of the deployment. */
  AlarmLevels levels(String family) {
    SortedMap<String, AlarmLevels> current = levels;
    if (current == null) {
      current = new TreeMap<>();
      SortedMap<String, Double> traffic = new TreeMap<>();
      for (SeriesJudge one : series.values()) {
        one.evalTraffic()
            .ifPresent(
                perMinute ->
                    traffic.put(
                        EvalComparison.family(one), perMinute * one.policy().budgetWeight()));
        for (FamilyJudge each : one.families()) {
          if (each.reference().basis() != Basis.MARGINAL) {
            traffic.put(each.name(), each.trafficPerMinute() * one.policy().budgetWeight());
          }
        }
      }
      double budget = policy().falseAlarmsPerMonth(deployment);
      for (Map.Entry<String, Double> share : BudgetShares.of(traffic).entrySet()) {
        current.put(share.getKey(), AlarmLevels.of(budget, share.getValue()));
      }
      levels = current;
    }
    AlarmLevels found = current.get(family);
    return found == null ? AlarmLevels.of(1, MARGINAL_SHARE) : found;
  }

  /** What only informs is outside the budget; a level like that of a deployment of 20 families. */
  private static final double MARGINAL_SHARE = .05;

  /** Says that families came or went. */
  void budgetChanged() {
    levels = null;
  }

  void write(Content.Writer out) {
    events.write(out);
    groups.write(out);
    incidents.write(out);
    meter.write(out);
    out.count(loads.size());
    loads.forEach(
        (start, load) -> {
          out.whole(start);
          out.number(load);
        });
    out.count(compared.size());
    compared.forEach(key -> write(key, out));
    out.count(promoted.size());
    promoted.forEach(out::text);
    out.count(evals.size());
    evals.values().forEach(eval -> eval.write(out));
    out.count(series.size());
    series.forEach(
        (key, one) -> {
          write(key, out);
          out.count(one.kind() == PaneKind.SCORE ? 1 : 0);
          one.write(out);
        });
  }

  private static void write(SeriesKey key, Content.Writer out) {
    out.text(key.modelId());
    out.text(key.configId());
    out.text(key.metric());
  }

  private SeriesKey readKey(Content.Reader in) {
    return new SeriesKey(deployment, in.text(), in.text(), in.text());
  }

  static DeploymentJudge read(String deployment, JudgeParts parts, Content.Reader in) {
    DeploymentJudge judge = new DeploymentJudge(deployment, parts);
    judge.events = EventLog.read(in);
    judge.groups = GroupTimeline.read(in);
    judge.incidents = Incidents.read(in);
    judge.meter = LoadMeter.read(in);
    for (int left = in.count(); left > 0; left--) {
      judge.loads.put(in.whole(), in.number());
    }
    for (int left = in.count(); left > 0; left--) {
      judge.compared.add(judge.readKey(in));
    }
    for (int left = in.count(); left > 0; left--) {
      judge.promoted.add(in.text());
    }
    for (int left = in.count(); left > 0; left--) {
      RecordedEval eval = RecordedEval.read(in);
      judge.evals.put(eval.name(), eval);
    }
    for (int left = in.count(); left > 0; left--) {
      SeriesKey key = judge.readKey(in);
      PaneKind kind = in.count() == 1 ? PaneKind.SCORE : PaneKind.LATENCY;
      judge.series.put(key, SeriesJudge.read(judge, key, kind, in));
    }
    return judge;
  }
}
