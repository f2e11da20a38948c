package io.servedrift.monitors.baseline;

import io.servedrift.monitors.baseline.FamilySpec.Scope;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.pane.Covariate;
import io.servedrift.monitors.pane.HistogramLayout;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Learns a {@link Baseline} from the histograms of panes: traffic classes, thresholds at edges of
 * the layout, then {@link BaselineFit}. A function of its arguments.
 */
public final class BaselineLearner {
  /** Levels of the margin that are no node. */
  private static final Set<String> POOLED_NODES = Set.of(TrafficClasses.OTHER, CellPane.UNKNOWN);

  private BaselineLearner() {}

  /** Learns, with {@link TrafficClasses#MOST} classes. */
  public static Baseline learn(
      FamilySpec spec, HistogramLayout layout, List<CellPane> panes, long paneMicros) {
    return learn(spec, layout, panes, paneMicros, TrafficClasses.MOST, 1);
  }

  /**
   * Learns.
   *
   * @param layout of all the histograms
   * @param panes ascending by start, at least {@link BaselineFit#LEAST_PANES}, with at least one
   *     value
   * @param paneMicros length of a pane
   * @param mostClasses how many traffic classes are kept apart
   * @param leastOfClass values from which anything is expected of a class
   * @throws IllegalArgumentException when the panes are too few or empty
   */
  public static Baseline learn(
      FamilySpec spec,
      HistogramLayout layout,
      List<CellPane> panes,
      long paneMicros,
      int mostClasses,
      long leastOfClass) {
    SortedMap<String, Long> sizes = new TreeMap<>();
    for (CellPane pane : panes) {
      for (CellPane.JointCell cell : pane.cells()) {
        sizes.merge(cell.trafficClass(), cell.values().n(), Long::sum);
      }
    }
    if (sizes.isEmpty()) {
      throw new IllegalArgumentException("panes: hold no value to learn from");
    }
    TrafficClasses classes =
        spec.scope() == Scope.MARGINAL
            ? TrafficClasses.everything()
            : TrafficClasses.largest(sizes, mostClasses, leastOfClass);
    Thresholds thresholds = thresholds(spec, layout, classes, panes);
    List<String> nodes = nodes(spec, panes);
    PaneCutter cutter = new PaneCutter(spec, classes, thresholds, nodes);
    return BaselineFit.fit(
        spec, classes, thresholds, nodes, panes.stream().map(cutter::cut).toList(), paneMicros);
  }

  /**
   * Learns from what ran before a configuration what to expect of it, see {@link
   * Scope#PREDECESSOR}: a successor at three times the load is not out of support, and hits and
   * large batches that the predecessor never had are expected to be like the rest, within the floor
   * of a stratum.
   *
   * @param panes of the predecessor; otherwise as {@link #learn}
   */
  public static Baseline learnPredecessor(
      FamilySpec spec, HistogramLayout layout, List<CellPane> panes, long paneMicros) {
    return learn(spec.in(Scope.PREDECESSOR), layout, panes, paneMicros);
  }

  /**
   * The nodes with the most values. They are compared by means, and only a configuration with its
   * own past: a predecessor ran on other ones.
   */
  private static List<String> nodes(FamilySpec spec, List<CellPane> panes) {
    if (spec.mostSlices() == 0
        || spec.statistic() != Statistic.MEAN
        || spec.scope() != Scope.ADJUSTED) {
      return List.of();
    }
    SortedMap<String, Long> sizes = new TreeMap<>();
    for (CellPane pane : panes) {
      for (CellPane.MarginCell margin : pane.margins()) {
        if (margin.covariate().equals(Covariate.NODE.label())
            && !POOLED_NODES.contains(margin.level())) {
          sizes.merge(margin.level(), margin.values().n(), Long::sum);
        }
      }
    }
    return sizes.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(spec.mostSlices())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static Thresholds thresholds(
      FamilySpec spec, HistogramLayout layout, TrafficClasses classes, List<CellPane> panes) {
    if (spec.statistic() == Statistic.RATIO) {
      return Thresholds.none();
    }
    ReferenceHistograms histograms = new ReferenceHistograms(spec, layout, classes);
    panes.forEach(histograms::add);
    return histograms.thresholds();
  }
}
