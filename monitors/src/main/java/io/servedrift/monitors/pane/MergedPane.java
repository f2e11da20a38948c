package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.PaneKind;
import java.util.List;
import java.util.SortedMap;

/**
 * A pane of one deployment after the merge over all partitions: what is judged. A function of the
 * set of records that count in it. Immutable.
 *
 * @param kind latency metrics and error ratio, or scores
 * @param startMicros inclusive, microseconds since the epoch
 * @param endMicros exclusive
 * @param series in series order, the deployment-wide series included
 */
public record MergedPane(
    String deployment, PaneKind kind, long startMicros, long endMicros, List<Series> series) {

  /**
   * One series in a pane.
   *
   * @param total all values
   * @param cells joint cells and margins by their sorted {@code covariate=bucket} keys; histograms
   *     only
   */
  public record Series(
      SeriesKey key, ValueDistribution total, SortedMap<List<String>, ValueDistribution> cells) {}
}
