package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What the residuals of a window say about each feature: precision matrix A = X'V^-1X, score b =
 * X'V^-1d and the share of requests in it (STATISTICS C.4). Features that hold no request, or every
 * one, are left out. Immutable.
 */
final class Evidence {
  /** Even a level that nearly all requests have keeps some evidence of its own. */
  private static final double MOST_COMMON = .9;

  private final ResidualCells cells;
  private final List<Feature> features = new ArrayList<>();
  private final List<boolean @Nullable []> rows = new ArrayList<>();
  private final List<@Nullable Margin> margins = new ArrayList<>();
  private final List<@Nullable MarginExposure> exposures = new ArrayList<>();
  private double[][] precision = {};
  private double[] score = {};
  private double[] mass = {};

  private Evidence(ResidualCells cells) {
    this.cells = cells;
  }

  /**
   * Collects the evidence.
   *
   * @param within mean shift of all like requests, which margins are relative to
   */
  static Evidence of(
      ResidualCells cells,
      CellAxes axes,
      List<Margin> margins,
      List<MarginExposure> exposures,
      double within) {
    Evidence evidence = new Evidence(cells);
    evidence.addCells(axes);
    for (Margin margin : margins) {
      evidence.addMargin(margin, margins);
    }
    exposures.forEach(evidence::addExposure);
    evidence.collect(within);
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
      add(feature, column, null, null);
    }
  }

  private void addMargin(Margin margin, List<Margin> all) {
    if (margin.requests() > 0 && margin.requests() < cells.requests()) {
      long levels = all.stream().filter(m -> m.covariate().equals(margin.covariate())).count();
      double priorOfAll = margin.cause() == Cause.NODE ? 1 : .5;
      Feature feature =
          new Feature(
              margin.covariate(), margin.level(), margin.cause(), priorOfAll / levels, false);
      add(feature, null, margin, null);
    }
  }

  private void addExposure(MarginExposure exposure) {
    boolean[] column = new boolean[cells.rows()];
    Arrays.fill(column, true);
    Feature feature =
        new Feature(exposure.covariate(), exposure.level(), exposure.cause(), .5, true);
    add(feature, column, null, exposure);
  }

  private void add(
      Feature feature,
      boolean @Nullable [] column,
      @Nullable Margin margin,
      @Nullable MarginExposure exposure) {
    features.add(feature);
    rows.add(column);
    margins.add(margin);
    exposures.add(exposure);
  }

  private void collect(double within) {
    int size = features.size();
    precision = new double[size][size];
    score = new double[size];
    mass = new double[size];
    for (int i = 0; i < size; i++) {
      boolean[] column = rows.get(i);
      if (column == null) {
        collectMargin(i, within);
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

  private void collectMargin(int i, double within) {
    Margin margin = margins.get(i);
    if (margin == null) {
      throw new IllegalStateException(
          "feature " + features.get(i) + " has neither rows nor margin");
    }
    double w = 1 / margin.variance();
    double q = cells.commonFactor();
    precision[i][i] = w - Math.min(q * w, MOST_COMMON) * w;
    score[i] = w * (margin.relative() + within) - q * w * cells.weightedResidual();
    mass[i] = margin.requests() / cells.requests();
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

  /** Whether a feature is a move of requests between levels, which moves all cells alike. */
  boolean exposure(int i) {
    return exposures.get(i) != null;
  }

  /** Mean of the prior of an effect; 0 but for an exposure, whose size is known before. */
  double priorMean(int i) {
    MarginExposure exposure = exposures.get(i);
    return exposure == null ? 0 : exposure.expected();
  }

  /** Standard deviation of the prior of an effect, where it has one of its own. */
  double priorSd(int i, double otherwise) {
    MarginExposure exposure = exposures.get(i);
    return exposure == null ? otherwise : exposure.sd();
  }
}
