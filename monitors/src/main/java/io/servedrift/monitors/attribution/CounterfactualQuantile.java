package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.TrafficClasses;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.stats.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The p99 that a reference would have had with the traffic classes of a window: its histograms by
 * class, weighted by the window's shares pi_W, give the Q with
 *
 * <pre>sum over classes g of pi_W(g) F_R,g(Q) = 0.99</pre>
 *
 * (STATISTICS C.2; DiNardo, Fortin and Lemieux 1996). Intervals by inverting that of the share
 * beyond the reference's p99 (Woodruff 1952), whose variance is over blocks of time; they end at
 * edges of bins. Holds the reference's histograms. A function of the set of panes. Immutable and
 * thread-safe.
 */
public final class CounterfactualQuantile {
  private static final double Z95 = 1.959963984540054;

  private final HistogramLayout layout;
  private final SortedMap<String, SortedMap<Integer, Long>> classes;

  private CounterfactualQuantile(
      HistogramLayout layout, SortedMap<String, SortedMap<Integer, Long>> classes) {
    this.layout = layout;
    this.classes = classes;
  }

  /**
   * Gathers a reference.
   *
   * @param contributions of the same panes: they say which classes are kept apart
   * @param panes with at least one value
   */
  public static CounterfactualQuantile of(
      HistogramLayout layout, ClassContributions contributions, List<CellPane> panes) {
    return new CounterfactualQuantile(layout, gather(panes, contributions.names()));
  }

  private static SortedMap<String, SortedMap<Integer, Long>> gather(
      List<CellPane> panes, List<String> names) {
    SortedMap<String, SortedMap<Integer, Long>> found = new TreeMap<>();
    names.forEach(name -> found.put(name, new TreeMap<>()));
    SortedMap<Integer, Long> rest = new TreeMap<>();
    for (CellPane pane : panes) {
      for (CellPane.JointCell cell : pane.cells()) {
        add(found.getOrDefault(cell.trafficClass(), rest), cell.values());
      }
    }
    rest.forEach(
        (bin, count) ->
            found
                .computeIfAbsent(TrafficClasses.OTHER, name -> new TreeMap<>())
                .merge(bin, count, Long::sum));
    return found;
  }

  private static void add(SortedMap<Integer, Long> into, ValueDistribution values) {
    int[] bins = values.bins();
    long[] counts = values.counts();
    for (int i = 0; i < bins.length; i++) {
      into.merge(bins[i], counts[i], Long::sum);
    }
  }

  /**
   * Splits the move of the p99.
   *
   * @param contributions those it was gathered with
   * @param cubes of the same reference
   * @param view one of their views: the share beyond one p99 for all classes
   * @param window panes since the onset
   */
  public QuantileSplit split(
      ClassContributions contributions,
      ReferenceCubes cubes,
      MetricView view,
      List<CellPane> window) {
    ClassSides sides = contributions.sides(cubes, view, window);
    long before = Math.round(sides.before().requests);
    long now = Math.round(sides.now().requests);
    if (!QuantileSplit.sufficient(before, now)) {
      return QuantileSplit.insufficient(before, now);
    }
    SortedMap<String, SortedMap<Integer, Long>> current = gather(window, sides.names());
    SortedMap<Integer, Double> reference = new TreeMap<>();
    SortedMap<Integer, Double> mixed = new TreeMap<>();
    SortedMap<Integer, Double> whole = new TreeMap<>();
    for (int key = 0; key < sides.names().size(); key++) {
      String name = sides.names().get(key);
      SortedMap<Integer, Long> own = classes.getOrDefault(name, new TreeMap<>());
      SortedMap<Integer, Long> fresh = current.getOrDefault(name, new TreeMap<>());
      weigh(reference, own, 1);
      weigh(whole, fresh, 1);
      if (sides.known(key)) {
        weigh(mixed, own, sides.now().n[key] / sides.before().n[key]);
      } else {
        weigh(mixed, fresh, 1);
      }
    }
    Position from = position(reference, QuantileSplit.QUANTILE);
    Position between = position(mixed, QuantileSplit.QUANTILE);
    return new QuantileSplit(
        from.value(),
        between.value(),
        position(whole, QuantileSplit.QUANTILE).value(),
        around(mixed, from, sides.compositionVariance()),
        around(whole, between, sides.withinVariance()),
        before,
        now);
  }

  /** A quantile by linear interpolation, and the edges of its bin. */
  private record Position(double value, double lower, double upper) {}

  private static void weigh(
      SortedMap<Integer, Double> into, SortedMap<Integer, Long> counts, double weight) {
    counts.forEach((bin, count) -> into.merge(bin, weight * count, Double::sum));
  }

  /** Interval of the distance to another quantile, from the variance of a share; of whole bins. */
  private Interval around(SortedMap<Integer, Double> weights, Position other, double variance) {
    double half = Z95 * Math.sqrt(variance);
    return new Interval(
        position(weights, QuantileSplit.QUANTILE - half).lower() - other.upper(),
        position(weights, QuantileSplit.QUANTILE + half).upper() - other.lower());
  }

  /** Unbounded when q is not between 0 and 1. */
  private Position position(SortedMap<Integer, Double> weights, double q) {
    if (!(q > 0 && q < 1)) {
      return new Position(Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
    }
    List<Map.Entry<Integer, Double>> bins = new ArrayList<>(weights.entrySet());
    double total = 0;
    for (Map.Entry<Integer, Double> bin : bins) {
      total += bin.getValue();
    }
    double left = q * total;
    int at = 0;
    while (at < bins.size() - 1 && left > bins.get(at).getValue()) {
      left -= bins.get(at).getValue();
      at++;
    }
    int bin = bins.get(at).getKey();
    double lower = layout.lower(bin);
    double upper = layout.upper(bin);
    double part = Math.min(1, left / bins.get(at).getValue());
    boolean inner = Double.isFinite(upper - lower);
    return new Position(
        inner ? lower + part * (upper - lower) : layout.midpoint(bin), lower, upper);
  }

  /** Writes. */
  public void write(Content.Writer out) {
    out.text(layout.id());
    out.count(classes.size());
    classes.forEach(
        (name, counts) -> {
          out.text(name);
          out.count(counts.size());
          counts.forEach(
              (bin, count) -> {
                out.count(bin);
                out.whole(count);
              });
        });
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException when it is something else
   */
  public static CounterfactualQuantile read(Content.Reader in) {
    HistogramLayout layout = HistogramLayout.parse(in.text());
    SortedMap<String, SortedMap<Integer, Long>> classes = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      SortedMap<Integer, Long> counts = new TreeMap<>();
      classes.put(in.text(), counts);
      for (int bins = in.count(); bins > 0; bins--) {
        counts.put(in.count(), in.whole());
      }
    }
    return new CounterfactualQuantile(layout, classes);
  }
}
