package io.servedrift.monitors.judge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.attribution.Changes;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.pane.Exemplar;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.MetricPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a family of tests may ask its series and its deployment. */
interface SeriesContext {
  SeriesKey key();

  /** Whether the metric is a duration: load may explain it. */
  boolean duration();

  MetricPolicy policy();

  String policyHash();

  long paneMicros();

  /** From the end of a pane to the time at which it is judged. */
  long graceMicros();

  /** Who scores now; empty for metrics without scorer. */
  String scorer();

  /** Panes that start in a stretch of time. */
  List<CellPane> panes(long fromMicros, long toMicros);

  List<Exemplar> exemplars(Map<String, String> cell, long sinceMicros, int most);

  EventLog events();

  Incidents incidents();

  /** Models or configurations that began to serve around an onset. */
  Changes changesAround(long earliestMicros, long latestMicros, boolean scorer);

  /** Axes in which the configuration differs from another one, as far as both are known. */
  List<String> changedAxes(String fromConfigId);

  /** Why a maintenance window mutes findings now. */
  Optional<String> maintenance();

  /** The other open findings of the series that go the opposite way. */
  List<OpenFinding> opposites(OpenFinding finding);

  /** Whether an open finding of another family names a cause for a move this way. */
  boolean explained(String direction);

  /** What the series is compared with on a basis, by a statistic. */
  Optional<Reference> reference(Basis basis, FamilySpec.Statistic statistic);

  /** The series of another metric of the same configuration and model. */
  Optional<SeriesContext> sibling(String metric);

  /** Writes a finding. */
  void write(ObjectNode body);

  /** Keeps a stretch of time out of what is learned. */
  void exclude(long fromMicros, long toMicros, Basis basis);
}
