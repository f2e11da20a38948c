package io.servedrift.monitors.page;

import io.servedrift.monitors.ops.LatestServingEvent;
import io.servedrift.monitors.ops.OpenFindings;
import io.servedrift.monitors.ops.SeriesSample;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.ServingEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A read model in a few numbers, as the metrics show it. Thread-safe. */
public final class ReadModelSummary {
  private static final List<String> SEVERITIES = List.of("page", "ticket", "info");

  private final ReadModel model;

  /** Of this model. */
  public ReadModelSummary(ReadModel model) {
    this.model = model;
  }

  /** Open findings by deployment and severity; 0 for deployments with windows and none open. */
  public List<OpenFindings> openFindings() {
    Map<String, Map<String, Long>> counts = new TreeMap<>();
    model.samples().stream().map(SeriesSample::deployment).distinct().forEach(d -> row(counts, d));
    for (Finding finding : model.findings()) {
      if (finding.getState() == FindingState.OPEN) {
        row(counts, finding.getDeployment())
            .merge(finding.getSeverity().name().toLowerCase(Locale.ROOT), 1L, Long::sum);
      }
    }
    List<OpenFindings> all = new ArrayList<>();
    counts.forEach(
        (deployment, row) ->
            row.forEach(
                (severity, count) -> all.add(new OpenFindings(deployment, severity, count))));
    return all;
  }

  private static Map<String, Long> row(Map<String, Map<String, Long>> counts, String deployment) {
    return counts.computeIfAbsent(
        deployment,
        d -> {
          Map<String, Long> zeros = new TreeMap<>();
          SEVERITIES.forEach(severity -> zeros.put(severity, 0L));
          return zeros;
        });
  }

  /** The latest serving event of each deployment and kind. */
  public List<LatestServingEvent> servingEvents() {
    Map<String, Map<String, Instant>> latest = new TreeMap<>();
    for (ServingEvent event : model.servingEvents()) {
      // In the order of time: the last one stays.
      latest
          .computeIfAbsent(event.getDeployment(), d -> new TreeMap<>())
          .put(event.getKind().name().toLowerCase(Locale.ROOT), event.getAt());
    }
    List<LatestServingEvent> all = new ArrayList<>();
    latest.forEach(
        (deployment, kinds) ->
            kinds.forEach((kind, at) -> all.add(new LatestServingEvent(deployment, kind, at))));
    return all;
  }
}
