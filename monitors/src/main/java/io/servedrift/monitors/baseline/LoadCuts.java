package io.servedrift.monitors.baseline;

import java.util.Arrays;

/**
 * Load buckets of a reference: cut at quantiles of its loads, as many as its length allows. Load
 * beyond what the reference saw is {@link #OUT_OF_SUPPORT}. Immutable and thread-safe.
 */
public final class LoadCuts {
  /** The bucket of a load that the reference never saw: nothing is expected there. */
  public static final int OUT_OF_SUPPORT = -1;

  private static final double[] QUANTILES = {.2, .4, .6, .75, .85, .92, .97, .99};

  /** A bucket with fewer panes says nothing about its load. */
  private static final int LEAST_PANES = 30;

  /**
   * In less than a day load and time are nearly the same: narrow buckets would follow whatever else
   * drifts with the hour.
   */
  private static final int LEAST_PANES_YOUNG = 120;

  /** Panes of a day: a shorter reference has not seen the daily peak. */
  private static final double MINUTES_PER_DAY = 1440;

  /** Share above its highest load that a reference shorter than a day accepts. */
  public static final double YOUNG_MARGIN = 0.25;

  private final double[] edges;
  private final double highest;

  LoadCuts(double[] edges, double highest) {
    this.edges = edges.clone();
    this.highest = highest;
  }

  /**
   * Cuts for the loads of a reference. A reference shorter than a day accepts loads up to 25 %
   * above its highest.
   *
   * @param loads one per pane, at least one
   * @param minutes length of the reference
   */
  public static LoadCuts of(double[] loads, double minutes) {
    if (loads.length == 0) {
      throw new IllegalArgumentException("loads: must hold at least one");
    }
    double[] sorted = loads.clone();
    Arrays.sort(sorted);
    double[] edges = new double[QUANTILES.length];
    int used = 0;
    double last = 0;
    int least = minutes < MINUTES_PER_DAY ? LEAST_PANES_YOUNG : LEAST_PANES;
    for (double q : QUANTILES) {
      // A hair of slack: 0.99 - 0.97 is not 0.02 in binary.
      double enough = (least - 1e-6) / sorted.length;
      if (q - last >= enough && 1 - q >= enough) {
        edges[used++] = SampleQuantile.of(sorted, q);
        last = q;
      }
    }
    double highest = sorted[sorted.length - 1];
    return new LoadCuts(
        Arrays.copyOf(edges, used),
        minutes < MINUTES_PER_DAY ? highest * (1 + YOUNG_MARGIN) : highest);
  }

  /** One bucket for every load there may be. */
  static LoadCuts none() {
    return new LoadCuts(new double[0], Double.POSITIVE_INFINITY);
  }

  /** Number of buckets. */
  public int buckets() {
    return edges.length + 1;
  }

  /** Bucket of a load, from 0, or {@link #OUT_OF_SUPPORT}. */
  public int bucketOf(double load) {
    return load > highest ? OUT_OF_SUPPORT : nearest(load);
  }

  /** As {@link #bucketOf}, but the highest bucket for a load out of support. */
  public int nearest(double load) {
    int bucket = 0;
    while (bucket < edges.length && edges[bucket] < load) {
      bucket++;
    }
    return bucket;
  }

  /** Cuts between the buckets, ascending. A copy. */
  public double[] edges() {
    return edges.clone();
  }

  /** Highest load inside the support. */
  public double highest() {
    return highest;
  }
}
