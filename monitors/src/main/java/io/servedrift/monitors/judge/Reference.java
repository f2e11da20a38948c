package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.ClassContributions;
import io.servedrift.monitors.attribution.CounterfactualQuantile;
import io.servedrift.monitors.attribution.QuantileSplit;
import io.servedrift.monitors.attribution.ReferenceCubes;
import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineFit;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.FamilySpec.Scope;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Thresholds;
import io.servedrift.monitors.pane.HistogramLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A baseline with what findings and attribution need of the same traffic: its plain numbers and its
 * cells by half hour. Immutable.
 *
 * @param basis what it is to the series that is judged
 * @param group the model and configuration it comes from
 * @param scorer who scored it; empty for metrics without scorer
 * @param baseline what detection compares with
 * @param explained the baseline of the cells: it always knows classes and loads
 * @param cubes what attribution compares with
 * @param classes what its traffic classes make of a difference
 * @param quantile what its p99 would be with other classes; only of durations of all traffic
 * @param summary plain numbers
 */
record Reference(
    Basis basis,
    Group group,
    String scorer,
    Baseline baseline,
    Baseline explained,
    ReferenceCubes cubes,
    ClassContributions classes,
    Optional<CounterfactualQuantile> quantile,
    Summary summary) {
  /**
   * Traffic classes of the series over all configurations, where each has its own: pooled, a change
   * of their mix would look like a shift, and its wandering would hide one.
   */
  private static final int CLASSES_OF_EVERYTHING = 100;

  /** Of fewer requests of a class nothing is expected in that series. */
  private static final long LEAST_OF_CLASS = 10;

  /**
   * Learns a reference.
   *
   * @param panes enough for a baseline, ascending
   */
  static Reference of(
      Basis basis,
      Group group,
      String scorer,
      FamilySpec spec,
      HistogramLayout layout,
      List<CellPane> panes,
      long paneMicros) {
    boolean own = ofItself(basis);
    // Where the cells have a baseline of their own, its tracks are not looked at.
    FamilySpec ofCells = own ? spec : spec.slicedInto(0);
    Baseline plain =
        group.everything()
            ? BaselineLearner.learn(
                ofCells, layout, panes, paneMicros, CLASSES_OF_EVERYTHING, LEAST_OF_CLASS)
            : BaselineLearner.learn(ofCells, layout, panes, paneMicros);
    Baseline detecting =
        switch (basis) {
          case LEARNED, PINNED -> plain;
          case PREDECESSOR -> BaselineLearner.learnPredecessor(spec, layout, panes, paneMicros);
          case MARGINAL ->
              BaselineLearner.learn(spec.in(Scope.MARGINAL), layout, panes, paneMicros);
        };
    Baseline explaining = plain;
    if (basis == Basis.MARGINAL && spec.statistic() == FamilySpec.Statistic.TAIL) {
      explaining = withOneThreshold(plain, detecting, panes);
    }
    ReferenceCubes cubes = ReferenceCubes.of(explaining, panes);
    ClassContributions classes = ClassContributions.of(cubes, panes);
    boolean tailOfAll =
        basis == Basis.MARGINAL
            && spec.statistic() == FamilySpec.Statistic.TAIL
            && spec.upper()
            && spec.logarithmic();
    return new Reference(
        basis,
        group,
        scorer,
        detecting,
        explaining,
        cubes,
        classes,
        tailOfAll
            ? Optional.of(CounterfactualQuantile.of(layout, classes, panes))
            : Optional.empty(),
        Summary.of(panes, paneMicros));
  }

  private static boolean ofItself(Basis basis) {
    return basis == Basis.LEARNED || basis == Basis.PINNED;
  }

  /** Whether it is what the series itself was, like for like. */
  boolean ofItself() {
    return ofItself(basis);
  }

  /** One p99 for all classes, so that other classes show as other exceedances. */
  private static Baseline withOneThreshold(Baseline classes, Baseline whole, List<CellPane> panes) {
    int levels = whole.thresholds().levels();
    double[][][] cuts = new double[levels][Stratum.count()][classes.classes().size()];
    for (int level = 0; level < levels; level++) {
      for (double[] ofStratum : cuts[level]) {
        Arrays.fill(ofStratum, whole.thresholds().cut(level, Stratum.ALL, 0));
      }
    }
    Thresholds flat =
        new Thresholds(whole.thresholds().lowest(), whole.thresholds().highest(), cuts);
    PaneCutter cutter = new PaneCutter(classes.spec(), classes.classes(), flat);
    return BaselineFit.fit(
        classes.spec(),
        classes.classes(),
        flat,
        panes.stream().map(cutter::cut).toList(),
        classes.paneMicros());
  }

  /** Whether anything is expected of a traffic class. */
  boolean knows(String trafficClass) {
    return explained.classes().indexOf(trafficClass).isPresent();
  }

  /** How much of the move of the p99 is traffic mix; empty when its histograms are not kept. */
  Optional<QuantileSplit> quantileSplit(List<CellPane> window) {
    int level = explained.spec().tails().indexOf(1 - QuantileSplit.QUANTILE);
    return quantile
        .filter(known -> level >= 0)
        .map(known -> known.split(classes, cubes, cubes.views().get(level), window));
  }

  void write(Content.Writer out) {
    out.count(basis.code());
    out.text(group.modelId());
    out.text(group.configId());
    out.text(scorer);
    out.block(baseline.encode());
    boolean same = explained.equals(baseline);
    out.count(same ? 1 : 0);
    if (!same) {
      out.block(explained.encode());
    }
    cubes.write(out);
    classes.write(out);
    out.count(quantile.isPresent() ? 1 : 0);
    quantile.ifPresent(known -> known.write(out));
    summary.write(out);
  }

  /** Days of panes that it was learned from. */
  double days() {
    return baseline.panes() * baseline.paneMicros() / (double) Micros.DAY;
  }

  /** Whether it is of a duration and of less than a day, and has not seen the loads of one. */
  boolean young(SeriesContext series) {
    return series.duration() && basis == Basis.LEARNED && days() < 1;
  }

  static Reference read(Content.Reader in) {
    Basis basis = Basis.of(in.count());
    Group group = new Group(in.text(), in.text());
    String scorer = in.text();
    Baseline baseline = Baseline.decode(in.block());
    Baseline explained = in.count() == 1 ? baseline : Baseline.decode(in.block());
    return new Reference(
        basis,
        group,
        scorer,
        baseline,
        explained,
        ReferenceCubes.read(in, explained),
        ClassContributions.read(in),
        in.count() == 1 ? Optional.of(CounterfactualQuantile.read(in)) : Optional.empty(),
        Summary.read(in));
  }
}
