package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.PaneKind;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A pane of one deployment after the merge over all partitions: what is judged. A function of the
 * set of records that count in it. Immutable.
 *
 * @param kind latency metrics and error ratio, or scores
 * @param startMicros inclusive, microseconds since the epoch
 * @param endMicros exclusive
 * @param series in series order, the deployment-wide series included
 * @param arrivals when the requests that count in this pane arrived: how many by the start of the
 *     arrival pane, microseconds since the epoch; none later than this pane, and those from more
 *     than 60 minutes before it at 60 minutes before. Empty for scores
 */
public record MergedPane(
    String deployment,
    PaneKind kind,
    long startMicros,
    long endMicros,
    List<Series> series,
    SortedMap<Long, Long> arrivals) {

  /** A pane of which the arrivals are not known. */
  public MergedPane(
      String deployment, PaneKind kind, long startMicros, long endMicros, List<Series> series) {
    this(
        deployment,
        kind,
        startMicros,
        endMicros,
        series,
        Collections.unmodifiableSortedMap(new TreeMap<>()));
  }

  /**
   * One series in a pane.
   *
   * @param total all values
   * @param cells joint cells and margins by their sorted {@code covariate=bucket} keys; histograms
   *     only
   * @param exemplars a sample of its requests, by hash: at most 3 per combination of cache and
   *     batch bucket and 24 in all, at least one of each
   */
  public record Series(
      SeriesKey key,
      ValueDistribution total,
      SortedMap<List<String>, ValueDistribution> cells,
      List<Exemplar> exemplars) {

    /** A series without exemplars. */
    public Series(
        SeriesKey key, ValueDistribution total, SortedMap<List<String>, ValueDistribution> cells) {
      this(key, total, cells, List.of());
    }
  }
}
