package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * What the residuals of a window say about each feature: precision matrix A = X'V^-1X, score b =
 * X'V^-1d and the share of requests in it (STATISTICS C.4). Features that hold no request, or every
 * one, are left out. Immutable.
 */
final class Evidence {
  /** Index of the feature that every request has. */
  static final int ALL = 0;

  private static final double DOSE_UNIT = 8;
  private static final double MIDDLE_OF_BUCKET = 1.25;
  private static final int DOSE_SHOWN = 8;

  /** Standard errors from which a level that names a feature moved itself. */
  private static final double BEYOND_NOISE = 2;

  /** From this size on, hits in a batch may be worse than hits and than batches are. */
  private static final int LARGE_BATCH = 8;

  /** Two things that have to come together are half as likely as one, over all cuts together. */
  private static final double JOINT_PRIOR = .5;

  private final ResidualCells cells;
  private final boolean uneven;
  private final List<Feature> features = new ArrayList<>();
  private final List<boolean[]> rows = new ArrayList<>();
  private final List<boolean[]> shown = new ArrayList<>();
  private final List<double[]> columns = new ArrayList<>();
  private double[][] precision = {};
  private double[] score = {};
  private double[] mass = {};

  private Evidence(ResidualCells cells, boolean uneven) {
    this.cells = cells;
    this.uneven = uneven;
  }

  /**
   * Collects the evidence.
   *
   * @param uneven whether causes may move their requests unevenly: a batch the more the larger
   */
  static Evidence of(ResidualCells cells, CellAxes axes, boolean uneven) {
    Evidence evidence = new Evidence(cells, uneven);
    evidence.addCells(axes);
    evidence.collect();
    return evidence;
  }

  private void addCells(CellAxes axes) {
    add(new Feature(Feature.ALL, Feature.ALL, Cause.UNEXPLAINED, 1), row -> true);
    int hit = axes.caches().indexOf(CellAxes.HIT);
    add(
        new Feature("cache", CellAxes.HIT, Cause.CACHE, 1),
        row -> cells.level(Grid.CACHE, row) == hit);
    addBatchCuts(axes);
    int yes = axes.preemptions().indexOf(CellAxes.YES);
    add(
        new Feature("preempted", CellAxes.YES, Cause.SCHEDULING, 1),
        row -> cells.level(Grid.PREEMPTED, row) == yes);
    addLevels("node", axes.nodes(), ResidualCells.NODE, Cause.NODE, 1);
    addLevels("prompt_class", axes.classes(), Grid.CLASS, Cause.UNEXPLAINED, .5);
  }

  private void addBatchCuts(CellAxes axes) {
    int[] smallest = axes.batches().stream().mapToInt(CellAxes::smallestBatch).toArray();
    int hit = axes.caches().indexOf(CellAxes.HIT);
    long large = axes.batchCuts().stream().filter(cut -> cut >= LARGE_BATCH).count();
    for (int cut : axes.batchCuts()) {
      List<String> above =
          axes.batches().stream().filter(b -> CellAxes.smallestBatch(b) >= cut).toList();
      String level = above.size() == 1 ? above.get(0) : cut + "+";
      Feature batch = new Feature("batch", level, Cause.BATCHING, 1.0 / axes.batchCuts().size());
      add(batch, row -> smallest[cells.level(Grid.BATCH, row)] >= cut);
      if (uneven && cut >= LARGE_BATCH) {
        // What was reused is wrong, and the batch is where it shows: charged to the cache.
        add(
            new Feature("cache", CellAxes.HIT, Cause.CACHE, JOINT_PRIOR / large, batch),
            row ->
                cells.level(Grid.CACHE, row) == hit
                    && smallest[cells.level(Grid.BATCH, row)] >= cut);
      }
    }
    if (uneven && axes.batchCuts().size() > 1) {
      addDose(smallest, axes);
    }
  }

  /** The more, the larger the batch: effects are those of a batch of {@link #DOSE_UNIT} more. */
  private void addDose(int[] smallest, CellAxes axes) {
    boolean[] members = new boolean[cells.rows()];
    double[] column = new double[members.length];
    int largest = 0;
    for (int row = 0; row < members.length; row++) {
      int batch = smallest[cells.level(Grid.BATCH, row)];
      members[row] = batch > 1;
      column[row] = Math.max(0, batch * MIDDLE_OF_BUCKET - 1) / DOSE_UNIT;
      largest = Math.max(largest, batch);
    }
    int least = Math.min(largest, DOSE_SHOWN);
    List<String> large =
        axes.batches().stream()
            .filter(b -> CellAxes.smallestBatch(b) >= least)
            .sorted(Comparator.comparingInt(CellAxes::smallestBatch))
            .toList();
    // The smallest that moved, too: a verdict is not named by what stayed.
    String level =
        large.stream()
            .filter(b -> movedLike(members, ofBatch(axes, b)))
            .findFirst()
            .orElse(large.isEmpty() ? axes.batches().get(0) : large.get(0));
    boolean[] named = ofBatch(axes, level);
    add(new Feature("batch", level, Cause.BATCHING, 1), members, column, named);
  }

  private boolean[] ofBatch(CellAxes axes, String level) {
    int index = axes.batches().indexOf(level);
    boolean[] found = new boolean[cells.rows()];
    for (int row = 0; row < found.length; row++) {
      found[row] = cells.level(Grid.BATCH, row) == index;
    }
    return found;
  }

  /** Whether some requests moved by more than noise, and the way that all of a feature did. */
  private boolean movedLike(boolean[] all, boolean[] some) {
    ResidualCells.Estimate found = cells.estimate(some);
    return found.mean() * cells.estimate(all).mean() > 0
        && Math.abs(found.mean()) > BEYOND_NOISE * found.standardError();
  }

  private void addLevels(
      String covariate, List<String> names, int axis, Cause cause, double priorOfAll) {
    for (int i = 0; i < names.size(); i++) {
      int level = i;
      add(
          new Feature(covariate, names.get(i), cause, priorOfAll / names.size()),
          row -> cells.level(axis, row) == level);
    }
  }

  private void add(Feature feature, IntPredicate member) {
    boolean[] column = new boolean[cells.rows()];
    for (int row = 0; row < column.length; row++) {
      column[row] = member.test(row);
    }
    double share = cells.requests(column) / cells.requests();
    if (feature.everything() || (share > 0 && share < 1)) {
      Feature kept = uneven ? feature.discounted(share) : feature;
      add(kept, column, ResidualCells.indicator(column), column);
    }
  }

  private void add(Feature feature, boolean[] members, double[] column, boolean[] named) {
    features.add(feature);
    rows.add(members);
    columns.add(column);
    shown.add(named);
  }

  private void collect() {
    int size = features.size();
    precision = new double[size][size];
    score = new double[size];
    mass = new double[size];
    for (int i = 0; i < size; i++) {
      double[] column = columns.get(i);
      score[i] = cells.score(column);
      mass[i] = cells.mean(column);
      for (int j = 0; j <= i; j++) {
        double[] other = columns.get(j);
        precision[i][j] = cells.precision(column, other);
        precision[j][i] = precision[i][j];
      }
    }
  }

  int size() {
    return features.size();
  }

  Feature feature(int i) {
    return features.get(i);
  }

  double precision(int i, int j) {
    return precision[i][j];
  }

  double score(int i) {
    return score[i];
  }

  /** Share of the window's requests in a feature. */
  double mass(int i) {
    return mass[i];
  }

  ResidualCells cells() {
    return cells;
  }

  /** Cells of a feature. */
  boolean[] rows(int i) {
    return rows.get(i);
  }

  /** Cells of the level that a feature is named by: fewer than its own where it is graded. */
  boolean[] shown(int i) {
    return shown.get(i);
  }

  /** Whether a feature moves its requests the more, the higher their level. */
  boolean graded(int i) {
    return !Arrays.equals(rows.get(i), shown.get(i));
  }
}
