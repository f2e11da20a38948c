package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  static final int MOST_EVENTS = 2_000;
  static final int MOST_FINDINGS = 200;

  /** How long cells reach back, and so how long a series without traffic keeps its place. */
  static final Duration SILENT = Duration.ofDays(8);

  private final MetricLayouts layouts;
  private final Predicate<String> deployments;
  private final Map<SeriesKey, SeriesWindows> windows = new TreeMap<>();
  private final CellRecorder cells;
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
    this.cells = new CellRecorder(layouts);
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
      if (!cells.add(pane, series)) {
        leftOut("series_panes_without_cells");
      }
    }
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
    SeriesKey key = key(finding);
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
      known.next(body, decided, cells.of(body));
    } else if (findings.size() < MOST_FINDINGS) {
      findings.put(id, new FindingRecord(body, decided, cells.of(body)).around(view(body)));
    } else {
      leftOut("finding_versions");
    }
  }

  private void leftOut(String what) {
    leftOut.merge(what, 1L, Long::sum);
  }

  private static SeriesKey key(JsonNode finding) {
    return new SeriesKey(
        finding.path("deployment").asText(),
        finding.path("model_id").asText(),
        finding.path("config_id").asText(),
        finding.path("metric").asText());
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
