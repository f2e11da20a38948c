package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what a report of a run needs, while the run goes on: the numbers of windows, the cells of
 * recent panes, serving events and findings. Memory is bounded; what is left out is counted and
 * said in the report. Not thread-safe.
 */
public final class RunRecorder {
  static final int MOST_SERIES = 300;
  static final int MOST_SERIES_WITH_CELLS = 64;
  static final int MOST_EVENTS = 2_000;
  static final int MOST_FINDINGS = 200;

  /** How long cells reach back, and so how long a series without traffic keeps its place. */
  private static final Duration SILENT = Duration.ofDays(8);

  private final MetricLayouts layouts;
  private final Predicate<String> deployments;
  private final Map<SeriesKey, SeriesWindows> windows = new TreeMap<>();
  private final Map<SeriesKey, CellHistory> cells = new TreeMap<>();
  private final Map<SeriesKey, List<OnsetView>> views = new HashMap<>();
  private final List<ServingEvent> events = new ArrayList<>();
  private final Map<String, FindingRecord> findings = new LinkedHashMap<>();
  private final Map<String, Long> leftOut = new TreeMap<>();
  private Instant start = Instant.MAX;
  private Instant end = Instant.MIN;

  /**
   * A recorder that has seen nothing.
   *
   * @param layouts of the metrics, as the run has them
   * @param deployments which ones the report is about
   */
  public RunRecorder(MetricLayouts layouts, Predicate<String> deployments) {
    this.layouts = layouts;
    this.deployments = deployments;
  }

  /** The same judges, with this recorder looking at what they are given. */
  public StepTaker.Maker watching(StepTaker.Maker judges) {
    return (given, tally) -> new Watched(judges.make(given, tally));
  }

  /** Passes on every step; the recorder sees a pane before the judge says anything about it. */
  private final class Watched implements StepTaker {
    private final StepTaker judge;

    Watched(StepTaker judge) {
      this.judge = judge;
    }

    @Override
    public void pane(MergedPane pane) {
      RunRecorder.this.pane(pane);
      judge.pane(pane);
    }

    @Override
    public void event(ServingEvent event) {
      RunRecorder.this.event(event);
      judge.event(event);
    }

    @Override
    public void decision(Decision decision) {
      judge.decision(decision);
    }

    @Override
    public void eval(EvalResult eval) {
      judge.eval(eval);
    }

    @Override
    public byte[] checkpoint(String deployment) {
      return judge.checkpoint(deployment);
    }

    @Override
    public void restore(String deployment, byte[] checkpoint) {
      judge.restore(deployment, checkpoint);
    }

    @Override
    public void forget(String deployment) {
      judge.forget(deployment);
    }
  }

  /** Takes the next pane of a deployment. */
  void pane(MergedPane pane) {
    if (!deployments.test(pane.deployment())) {
      return;
    }
    for (MergedPane.Series series : pane.series()) {
      CellHistory history = cells.get(series.key());
      if (history == null) {
        forgetSilentCells(pane.startMicros());
        if (cells.size() >= MOST_SERIES_WITH_CELLS) {
          leftOut("series_panes_without_cells");
          continue;
        }
        history = new CellHistory();
        cells.put(series.key(), history);
      }
      history.add(CellSlot.of(pane, series));
    }
  }

  /** What is older than a week is in no finding to come: configurations come and go. */
  private void forgetSilentCells(long nowMicros) {
    cells.values().removeIf(history -> history.lastMicros() < nowMicros - SILENT.toMillis() * 1000);
  }

  /** A configuration that is gone needs a place only where a finding is about it. */
  private void forgetSilentWindows(Instant now) {
    windows
        .entrySet()
        .removeIf(
            one ->
                !one.getKey().configId().equals(SeriesKey.ALL)
                    && one.getValue().end().isBefore(now.minus(SILENT))
                    && findings.values().stream()
                        .noneMatch(finding -> finding.isAbout(one.getKey())));
  }

  private void event(ServingEvent event) {
    if (!deployments.test(event.getDeployment())) {
      return;
    }
    if (events.size() >= MOST_EVENTS) {
      leftOut("serving_events");
      return;
    }
    events.add(event);
  }

  /** Takes a closed window that the report is about. */
  public void window(WindowSummary window) {
    SeriesKey key =
        new SeriesKey(
            window.getDeployment(), window.getModelId(), window.getConfigId(), window.getMetric());
    start = window.getStart().isBefore(start) ? window.getStart() : start;
    end = window.getEnd().isAfter(end) ? window.getEnd() : end;
    if (!windows.containsKey(key)) {
      forgetSilentWindows(window.getStart());
      if (windows.size() >= MOST_SERIES) {
        leftOut("windows_of_further_series");
        return;
      }
    }
    windows.computeIfAbsent(key, any -> new SeriesWindows()).add(window);
    addToViews(key, window);
  }

  /** Findings are found near their onset: what comes after belongs to their closer views too. */
  private void addToViews(SeriesKey key, WindowSummary window) {
    List<OnsetView> open = views.get(key);
    if (open == null) {
      return;
    }
    open.removeIf(view -> view.endsBefore(window.getStart()));
    if (open.isEmpty()) {
      views.remove(key);
    }
    Duration length = Duration.between(window.getStart(), window.getEnd());
    for (OnsetView view : open) {
      if (view.length().equals(length)) {
        view.add(WindowPoint.of(window));
      }
    }
  }

  private @Nullable OnsetView view(JsonNode finding) {
    SeriesKey key = key(finding, "");
    SeriesWindows series = windows.get(key);
    if (series == null) {
      return null;
    }
    try {
      OnsetView view =
          series.around(
              Instant.parse(finding.path("onset_at").asText()),
              Instant.parse(finding.path("detected_at").asText()));
      if (view != null) {
        views.computeIfAbsent(key, any -> new ArrayList<>()).add(view);
      }
      return view;
    } catch (DateTimeParseException e) {
      return null; // without times there is no place to look at
    }
  }

  /**
   * Takes a version of a finding that the report is about.
   *
   * @param body its public JSON
   * @param decided event time at which it was decided
   */
  public void finding(JsonNode body, Instant decided) {
    String id = body.path("finding_id").asText();
    FindingRecord known = findings.get(id);
    if (known != null) {
      known.next(body, decided, cells(body));
    } else if (findings.size() < MOST_FINDINGS) {
      findings.put(id, new FindingRecord(body, decided, cells(body)).around(view(body)));
    } else {
      leftOut("finding_versions");
    }
  }

  private void leftOut(String what) {
    leftOut.merge(what, 1L, Long::sum);
  }

  /** Baseline against current by cell, as far as the panes of this run reach back. */
  private ObjectNode cells(JsonNode finding) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    Optional<CellSlot> current = slot(finding, "current", "");
    Optional<CellSlot> baseline = slot(finding, "baseline", "/baseline");
    if (current.isEmpty() || baseline.isEmpty()) {
      node.put("cells_state", "insufficient");
      node.put(
          "cells_because",
          (current.isEmpty() ? "the panes of the shift" : "the panes of the baseline")
              + " lie outside this run, or this series is beyond those whose cells are kept");
      return node;
    }
    String metric = finding.path("metric").asText();
    boolean ratio = layouts.layoutOf(metric).isBinary();
    node.put("cells_state", "sufficient");
    node.set("baseline_cells", range(baseline.get()));
    node.set("current_cells", range(current.get()));
    heatMap(node, finding, baseline.get(), current.get(), ratio);
    node.set("by_covariate", Contrasts.byCovariate(baseline.get(), current.get(), ratio));
    if (!ratio) {
      node.set(
          "distribution",
          Distributions.of(baseline.get(), current.get(), layouts.layoutOf(metric)));
    }
    return node;
  }

  /** Means, but for a tail the share of requests beyond the quantile that the finding is about. */
  private void heatMap(
      ObjectNode node, JsonNode finding, CellSlot baseline, CellSlot current, boolean ratio) {
    Optional<TailLimit> limit =
        TailLimit.of(finding, baseline.bins(), layouts.layoutOf(finding.path("metric").asText()));
    if (limit.isEmpty()) {
      node.put("heat_map_of", "mean");
      node.set("heat_map", Contrasts.heatMap(baseline, current, ratio));
      return;
    }
    node.put("heat_map_of", "share_beyond");
    Numbers.put(node, "heat_map_limit", (Double) limit.get().value());
    node.set(
        "heat_map",
        Contrasts.heatMapBeyond(baseline, current, limit.get().bin(), limit.get().upper()));
  }

  private static SeriesKey key(JsonNode finding, String ids) {
    return new SeriesKey(
        finding.path("deployment").asText(),
        finding.at(ids + "/model_id").asText(),
        finding.at(ids + "/config_id").asText(),
        finding.path("metric").asText());
  }

  private Optional<CellSlot> slot(JsonNode finding, String range, String ids) {
    CellHistory history = cells.get(key(finding, ids));
    if (history == null) {
      return Optional.empty();
    }
    try {
      Optional<CellSlot> slot =
          history.range(
              micros(finding.path(range).path("from").asText()),
              micros(finding.path(range).path("to").asText()));
      return slot.filter(found -> found.total().n() > 0);
    } catch (DateTimeParseException e) {
      return Optional.empty(); // a finding without these numbers has no cells to compare
    }
  }

  private static long micros(String time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(time));
  }

  private static ObjectNode range(CellSlot slot) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("from", Instant.EPOCH.plus(slot.fromMicros(), ChronoUnit.MICROS).toString())
        .put("to", Instant.EPOCH.plus(slot.toMicros(), ChronoUnit.MICROS).toString())
        .put("n", slot.total().n());
  }

  /** Start of the first window; {@link Instant#MAX} without one. */
  Instant start() {
    return start;
  }

  /** End of the last window; {@link Instant#MIN} without one. */
  Instant end() {
    return end;
  }

  Map<SeriesKey, SeriesWindows> windows() {
    return windows;
  }

  List<ServingEvent> events() {
    return events;
  }

  Map<String, FindingRecord> findings() {
    return findings;
  }

  /** How much of what passed by the report does not hold, by what it is. */
  Map<String, Long> leftOut() {
    return leftOut;
  }

  MetricLayouts layouts() {
    return layouts;
  }
}
