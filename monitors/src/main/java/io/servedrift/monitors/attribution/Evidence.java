package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What the residuals of a window say about each feature: precision matrix A = X'V^-1X, score b =
 * X'V^-1d and the share of requests in it (STATISTICS C.4). Features that hold no request, or every
 * one, are left out. Immutable.
 */
final class Evidence {
  private final ResidualCells cells;
  private final List<Feature> features = new ArrayList<>();
  private final List<boolean @Nullable []> rows = new ArrayList<>();
  private final List<@Nullable Margin> margins = new ArrayList<>();
  private double[][] precision = {};
  private double[] score = {};
  private double[] mass = {};

  private Evidence(ResidualCells cells) {
    this.cells = cells;
  }

  /**
   * Collects the evidence.
   *
   * @param drift how far the mean of all traffic is expected to move by its composition
   * @param variance variance of one request
   */
  static Evidence of(
      ResidualCells cells, CellAxes axes, List<Margin> margins, double drift, double variance) {
    Evidence evidence = new Evidence(cells);
    evidence.addCells(axes);
    for (Margin margin : margins) {
      evidence.addMargin(margin, margins);
    }
    evidence.collect(drift, variance);
    return evidence;
  }

  private void addCells(CellAxes axes) {
    add(new Feature(Feature.ALL, Feature.ALL, Cause.UNEXPLAINED, 1, true), row -> true);
    int hit = axes.caches().indexOf(CellAxes.HIT);
    add(
        new Feature("cache", CellAxes.HIT, Cause.CACHE, 1, true),
        row -> cells.level(Grid.CACHE, row) == hit);
    addBatchCuts(axes);
    int yes = axes.preemptions().indexOf(CellAxes.YES);
    add(
        new Feature("preempted", CellAxes.YES, Cause.SCHEDULING, 1, true),
        row -> cells.level(Grid.PREEMPTED, row) == yes);
    addLevels("node", axes.nodes(), ResidualCells.NODE, Cause.NODE, 1);
    addLevels("prompt_class", axes.classes(), Grid.CLASS, Cause.UNEXPLAINED, .5);
  }

  private void addBatchCuts(CellAxes axes) {
    int[] smallest = axes.batches().stream().mapToInt(CellAxes::smallestBatch).toArray();
    for (int cut : axes.batchCuts()) {
      List<String> above =
          axes.batches().stream().filter(b -> CellAxes.smallestBatch(b) >= cut).toList();
      String level = above.size() == 1 ? above.get(0) : cut + "+";
      add(
          new Feature("batch", level, Cause.BATCHING, 1.0 / axes.batchCuts().size(), true),
          row -> smallest[cells.level(Grid.BATCH, row)] >= cut);
    }
  }

  private void addLevels(
      String covariate, List<String> names, int axis, Cause cause, double priorOfAll) {
    for (int i = 0; i < names.size(); i++) {
      int level = i;
      add(
          new Feature(covariate, names.get(i), cause, priorOfAll / names.size(), true),
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
      features.add(feature);
      rows.add(column);
      margins.add(null);
    }
  }

  private void addMargin(Margin margin, List<Margin> all) {
    boolean some = margin.windowCount() > 0 && margin.windowCount() < cells.requests();
    if (some && margin.referenceCount() > 0) {
      long levels = all.stream().filter(m -> m.covariate().equals(margin.covariate())).count();
      double priorOfAll = margin.cause() == Cause.NODE ? 1 : .5;
      features.add(
          new Feature(
              margin.covariate(), margin.level(), margin.cause(), priorOfAll / levels, false));
      rows.add(null);
      margins.add(margin);
    }
  }

  private void collect(double drift, double variance) {
    int size = features.size();
    precision = new double[size][size];
    score = new double[size];
    mass = new double[size];
    for (int i = 0; i < size; i++) {
      boolean[] column = rows.get(i);
      if (column == null) {
        collectMargin(i, drift, variance);
        continue;
      }
      score[i] = cells.score(column);
      mass[i] = cells.requests(column) / cells.requests();
      for (int j = 0; j <= i; j++) {
        boolean[] other = rows.get(j);
        if (other != null) {
          precision[i][j] = cells.precision(column, other);
          precision[j][i] = precision[i][j];
        }
      }
    }
  }

  private void collectMargin(int i, double drift, double variance) {
    Margin margin = margins.get(i);
    if (margin == null) {
      throw new IllegalStateException(
          "feature " + features.get(i) + " has neither rows nor margin");
    }
    double w = 1 / (variance / margin.windowCount() + variance / margin.referenceCount());
    double moved =
        margin.windowSum() / margin.windowCount()
            - margin.referenceSum() / margin.referenceCount()
            - drift;
    double q = cells.commonFactor();
    precision[i][i] = w - q * w * w;
    score[i] = w * moved - q * w * cells.weightedResidual();
    mass[i] = margin.windowCount() / cells.requests();
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

  /** Cells of a feature; null when cells are not crossed with it. */
  boolean @Nullable [] rows(int i) {
    return rows.get(i);
  }

  @Nullable Margin margin(int i) {
    return margins.get(i);
  }
}
