package io.servedrift.monitors.attribution;

import java.util.SortedMap;
import java.util.TreeMap;

/** Names the cells behind a verdict. Immutable. */
final class Where {
  /** Log Bayes factor from which a second covariate is named. */
  private static final double REFINEMENT = 3;

  private static final double LEAST_REQUESTS = 30;

  /** Between prompt class and workload in the name of a traffic class. */
  private static final String CLASS_SEPARATOR = " / ";

  private static final String WORKLOAD = "workload";

  private final Analysis analysis;
  private final Localisation localisation;
  private final Evidence evidence;

  Where(Analysis analysis) {
    this.analysis = analysis;
    localisation = analysis.localisation();
    evidence = localisation.evidence();
  }

  /** Cells of like requests that got worse: the likeliest feature and what narrows it down. */
  SortedMap<String, String> effect(int feature) {
    SortedMap<String, String> where = new TreeMap<>();
    Feature found = evidence.feature(feature);
    if (!found.everything()) {
      put(where, found);
    }
    Feature within = found.within();
    if (within != null) {
      put(where, within);
    }
    boolean[] rows = evidence.rows(feature);
    int second = refinement(feature, rows);
    if (second >= 0) {
      put(where, evidence.feature(second));
    }
    return where;
  }

  /** A traffic class is shown as what it is made of. */
  private static void put(SortedMap<String, String> where, Feature feature) {
    int between = feature.level().indexOf(CLASS_SEPARATOR);
    if (between < 0) {
      where.put(feature.covariate(), feature.level());
    } else {
      where.put(feature.covariate(), feature.level().substring(0, between));
      where.put(WORKLOAD, feature.level().substring(between + CLASS_SEPARATOR.length()));
    }
  }

  private int refinement(int feature, boolean[] rows) {
    double whole = localisation.logBayesFactor(rows);
    Feature within = evidence.feature(feature).within();
    int best = -1;
    double bestGain = REFINEMENT;
    for (int i = 0; i < evidence.size(); i++) {
      boolean[] other = evidence.rows(i);
      boolean same = evidence.feature(i).covariate().equals(evidence.feature(feature).covariate());
      boolean said = within != null && evidence.feature(i).covariate().equals(within.covariate());
      if (same || said || evidence.feature(i).everything()) {
        continue;
      }
      boolean[] both = rows.clone();
      for (int row = 0; row < both.length; row++) {
        both[row] &= other[row];
      }
      double gain = localisation.logBayesFactor(both) - whole;
      if (gain > bestGain && evidence.cells().requests(both) >= LEAST_REQUESTS) {
        best = i;
        bestGain = gain;
      }
    }
    return best;
  }

  /** The level into which more requests fall than the reference would send there. */
  SortedMap<String, String> exposure(Cause cause) {
    SortedMap<String, String> where = new TreeMap<>();
    int axis =
        switch (cause) {
          case TRAFFIC_MIX -> Grid.CLASS;
          case CACHE -> Grid.CACHE;
          case BATCHING -> Grid.BATCH;
          case SCHEDULING -> Grid.PREEMPTED;
          default -> -1;
        };
    if (axis >= 0) {
      String[] names = {"load", "prompt_class", "cache", "batch", "preempted"};
      where.put(names[axis], grown(axis));
    }
    return where;
  }

  private String grown(int axis) {
    CellCube window = analysis.input().window();
    CellCube reference = analysis.input().reference();
    Grid grid = window.grid();
    double[] now = grid.marginal(window.counts(), Grid.mask(axis));
    double[] before = grid.marginal(reference.counts(), Grid.mask(axis));
    int best = 0;
    double bestGrowth = Double.NEGATIVE_INFINITY;
    for (int level = 0; level < now.length; level++) {
      double growth = now[level] / window.requests() - before[level] / reference.requests();
      if (growth > bestGrowth) {
        best = level;
        bestGrowth = growth;
      }
    }
    return window.axes().levels(axis).get(best);
  }
}
