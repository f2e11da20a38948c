package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The cells of the series of a run, and what they say about a finding: baseline against now.
 * Bounded: the first series keep their place, those without traffic for {@link RunRecorder#SILENT}
 * lose it. Not thread-safe.
 */
final class CellRecorder {
  static final int MOST_SERIES = 64;

  private final MetricLayouts layouts;
  private final Map<SeriesKey, CellHistory> cells = new TreeMap<>();

  CellRecorder(MetricLayouts layouts) {
    this.layouts = layouts;
  }

  /** Takes the next pane of a series; false when there is no place for it. */
  boolean add(MergedPane pane, MergedPane.Series series) {
    CellHistory history = cells.get(series.key());
    if (history == null) {
      forgetSilent(pane.startMicros());
      if (cells.size() >= MOST_SERIES) {
        return false;
      }
      history = new CellHistory();
      cells.put(series.key(), history);
    }
    history.add(CellSlot.of(pane, series));
    return true;
  }

  /** What is older than that is in no finding to come: configurations come and go. */
  private void forgetSilent(long nowMicros) {
    long silent = RunRecorder.SILENT.toMillis() * 1000;
    cells.values().removeIf(history -> history.lastMicros() < nowMicros - silent);
  }

  /** Baseline against current by cell, as far as the panes of this run reach back. */
  ObjectNode of(JsonNode finding) {
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

  private Optional<CellSlot> slot(JsonNode finding, String range, String ids) {
    CellHistory history =
        cells.get(
            new SeriesKey(
                finding.path("deployment").asText(),
                finding.at(ids + "/model_id").asText(),
                finding.at(ids + "/config_id").asText(),
                finding.path("metric").asText()));
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
}
