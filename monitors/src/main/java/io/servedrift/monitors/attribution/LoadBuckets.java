package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.SampleQuantile;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts load into buckets at quantiles of the reference. Load of a pane is the mean number of
 * arrivals of the last 15 panes, itself included: causal, and a backlog does not look idle by it.
 * Immutable.
 *
 * @param edges upper ends of all buckets but the last, ascending; an edge belongs to the lower
 *     bucket
 */
public record LoadBuckets(List<Double> edges) {
  private static final double[] CUTS = {.15, .3, .45, .6, .75, .875, .95, .99, 1};

  /** Panes that load is averaged over. */
  public static final int MEMORY = 15;

  private static final double LEAST_TOLERANCE = .05;
  private static final double CHANCE = 3;

  /** Checks the order of the edges. */
  public LoadBuckets {
    edges = List.copyOf(edges);
    for (int i = 1; i < edges.size(); i++) {
      if (!(edges.get(i - 1) <= edges.get(i))) {
        throw new IllegalArgumentException("edges=" + edges + ": must ascend");
      }
    }
  }

  /**
   * Buckets of a reference, the last one above all it has seen: traffic there has no expectation of
   * its own.
   *
   * @param loads load of each of its panes
   */
  public static LoadBuckets of(double[] loads) {
    return atQuantiles(loads, CUTS);
  }

  /** Upper end of the last bucket but one: the highest load of the reference. */
  double highest() {
    return edges.get(edges.size() - 1);
  }

  /**
   * Highest load that counts as seen: 5 % above the highest of the reference, or three standard
   * deviations when that is nothing but chance, a mean of {@link #MEMORY} Poisson counts.
   */
  double highestSeen() {
    double requests = MEMORY * highest();
    double chance = requests > 0 ? CHANCE / StrictMath.sqrt(requests) : 0;
    return highest() * (1 + Math.max(LEAST_TOLERANCE, chance));
  }

  static LoadBuckets atQuantiles(double[] loads, double... cuts) {
    if (loads.length == 0) {
      throw new IllegalArgumentException("loads of 0 panes: must be at least one");
    }
    double[] sorted = loads.clone();
    Arrays.sort(sorted);
    return new LoadBuckets(
        Arrays.stream(cuts).mapToObj(cut -> SampleQuantile.of(sorted, cut)).toList());
  }

  /**
   * Load of each pane of a gapless run.
   *
   * @param arrivals arrivals of each pane, in time order
   */
  public static double[] loads(double[] arrivals) {
    double[] result = new double[arrivals.length];
    double sum = 0;
    for (int pane = 0; pane < arrivals.length; pane++) {
      sum += arrivals[pane] - (pane >= MEMORY ? arrivals[pane - MEMORY] : 0);
      result[pane] = sum / Math.min(pane + 1, MEMORY);
    }
    return result;
  }

  /** Number of buckets. */
  public int size() {
    return edges.size() + 1;
  }

  /** Bucket of a load, from 0. */
  public int bucket(double load) {
    int bucket = 0;
    while (bucket < edges.size() && edges.get(bucket) < load) {
      bucket++;
    }
    return bucket;
  }
}
