package io.servedrift.monitors.baseline;

import java.util.List;

/**
 * Sums of a reference by stratum, traffic class and load bucket, and what they lead one to expect.
 * Thin cells are shrunk: the mean of a cell toward its class in the stratum, that toward the
 * stratum, with the weight of {@code meanWeight} or {@code 20 / (1 - q)} further values. Immutable
 * and thread-safe.
 */
public final class ReferenceTable {
  private static final double MEAN_WEIGHT = 50;
  private static final double COUNT_WEIGHT = 20;

  private final LoadCuts cuts;
  private final int classes;
  private final List<Double> tails;
  private final double[] n;
  private final double[] sum;
  private final double[] sumSquares;
  private final double[][] exceedances;
  private final double[] bucketLoads;
  private final double loadElasticity;
  private final double[] means;
  private final double[][] rates;
  private final double[] withinVariance;
  private final double[] classVariance;

  ReferenceTable(
      LoadCuts cuts,
      int classes,
      List<Double> tails,
      double[] n,
      double[] sum,
      double[] sumSquares,
      double[][] exceedances,
      double[] bucketLoads,
      double loadElasticity) {
    this.cuts = cuts;
    this.classes = classes;
    this.tails = List.copyOf(tails);
    this.n = n;
    this.sum = sum;
    this.sumSquares = sumSquares;
    this.exceedances = exceedances;
    this.bucketLoads = bucketLoads;
    this.loadElasticity = loadElasticity;
    means = shrunk(sum, MEAN_WEIGHT);
    rates = new double[tails.size()][];
    for (int level = 0; level < rates.length; level++) {
      rates[level] = shrunk(exceedances[level], COUNT_WEIGHT / tails.get(level));
    }
    withinVariance = new double[Stratum.count()];
    classVariance = new double[Stratum.count() * classes];
    for (Stratum stratum : Stratum.all()) {
      withinVariance[stratum.index()] = varianceWithinClasses(stratum);
      for (int g = 0; g < classes; g++) {
        classVariance[stratum.index() * classes + g] =
            Math.max(0, squaresWithin(stratum, g) / Math.max(1, n(stratum, g)));
      }
    }
  }

  /**
   * Adds up a reference.
   *
   * @param tails for every level the share of values beyond it, for example 0.01 for a p99
   * @param loadElasticity see {@link #loadRatio}; 0 for what is known at every load
   */
  static ReferenceTable of(
      List<PaneCounts> panes,
      LoadCuts cuts,
      int classes,
      List<Double> tails,
      double loadElasticity) {
    int cells = Stratum.count() * classes * cuts.buckets();
    double[] n = new double[cells];
    double[] sum = new double[cells];
    double[] sumSquares = new double[cells];
    double[][] exceedances = new double[tails.size()][cells];
    double[] loads = new double[cuts.buckets()];
    int[] loadPanes = new int[cuts.buckets()];
    for (PaneCounts pane : panes) {
      int bucket = cuts.nearest(pane.load());
      loads[bucket] += pane.load();
      loadPanes[bucket]++;
      for (Stratum stratum : Stratum.all()) {
        for (int g = 0; g < classes; g++) {
          int at = (stratum.index() * classes + g) * cuts.buckets() + bucket;
          n[at] += pane.n(stratum, g);
          sum[at] += pane.sum(stratum, g);
          sumSquares[at] += pane.sumSquares(stratum, g);
          for (int level = 0; level < exceedances.length; level++) {
            exceedances[level][at] += pane.exceedances(level, stratum, g);
          }
        }
      }
    }
    for (int bucket = 0; bucket < loads.length; bucket++) {
      loads[bucket] /= Math.max(1, loadPanes[bucket]);
    }
    return new ReferenceTable(
        cuts, classes, tails, n, sum, sumSquares, exceedances, loads, loadElasticity);
  }

  /**
   * The same where a class that hardly occurs in a stratum is expected to be there as it is in all
   * traffic: a successor may cache and batch what its predecessor did not, and classes that it did
   * say nothing of the others.
   */
  ReferenceTable borrowing(double leastValues) {
    for (Stratum stratum : Stratum.all()) {
      for (int g = 0; g < classes; g++) {
        if (n(stratum, g) < leastValues) {
          borrow(n, stratum, g);
          borrow(sum, stratum, g);
          borrow(sumSquares, stratum, g);
          for (double[] level : exceedances) {
            borrow(level, stratum, g);
          }
        }
      }
    }
    return new ReferenceTable(
        cuts, classes, tails, n, sum, sumSquares, exceedances, bucketLoads, loadElasticity);
  }

  private void borrow(double[] cells, Stratum stratum, int trafficClass) {
    int buckets = cuts.buckets();
    int from = (Stratum.ALL.index() * classes + trafficClass) * buckets;
    int to = (stratum.index() * classes + trafficClass) * buckets;
    System.arraycopy(cells, from, cells, to, buckets);
  }

  private double[] shrunk(double[] totals, double weight) {
    int buckets = cuts.buckets();
    double[] result = new double[totals.length];
    for (Stratum stratum : Stratum.all()) {
      int from = stratum.index() * classes * buckets;
      int to = from + classes * buckets;
      double overall = range(totals, from, to) / Math.max(1, range(n, from, to));
      for (int g = 0; g < classes; g++) {
        int start = from + g * buckets;
        double ofClass =
            (range(totals, start, start + buckets) + weight * overall)
                / (range(n, start, start + buckets) + weight);
        for (int at = start; at < start + buckets; at++) {
          result[at] = (totals[at] + weight * ofClass) / (n[at] + weight);
        }
      }
    }
    return result;
  }

  private double varianceWithinClasses(Stratum stratum) {
    double squares = 0;
    double values = 0;
    for (int g = 0; g < classes; g++) {
      squares += squaresWithin(stratum, g);
      values += n(stratum, g);
    }
    return Math.max(0, squares / Math.max(1, values));
  }

  private double squaresWithin(Stratum stratum, int trafficClass) {
    double count = n(stratum, trafficClass);
    double total = sum(stratum, trafficClass);
    double mean = total / Math.max(1, count);
    return sumSquares(stratum, trafficClass) - 2 * mean * total + mean * mean * count;
  }

  private static double range(double[] cells, int from, int to) {
    double total = 0;
    for (int at = from; at < to; at++) {
      total += cells[at];
    }
    return total;
  }

  private double overBuckets(double[] cells, Stratum stratum, int trafficClass) {
    int start = (stratum.index() * classes + trafficClass) * cuts.buckets();
    return range(cells, start, start + cuts.buckets());
  }

  private double overAll(double[] cells, Stratum stratum) {
    int width = classes * cuts.buckets();
    return range(cells, stratum.index() * width, (stratum.index() + 1) * width);
  }

  /** The load buckets. */
  public LoadCuts cuts() {
    return cuts;
  }

  /** Number of traffic classes. */
  public int classes() {
    return classes;
  }

  /** Number of exceedance levels. */
  public int levels() {
    return tails.size();
  }

  /** Share of values beyond the threshold of a level when it was set. */
  public double tail(int level) {
    return tails.get(level);
  }

  /** Number of values in a stratum. */
  public double n(Stratum stratum) {
    return overAll(n, stratum);
  }

  /** Number of values in a stratum and class, {@link TrafficClasses#ALL} for all of them. */
  public double n(Stratum stratum, int trafficClass) {
    return trafficClass == TrafficClasses.ALL ? n(stratum) : overBuckets(n, stratum, trafficClass);
  }

  /** Sum of the values in a stratum. */
  public double sum(Stratum stratum) {
    return overAll(sum, stratum);
  }

  /** Sum of the values in a stratum and class. */
  public double sum(Stratum stratum, int trafficClass) {
    return overBuckets(sum, stratum, trafficClass);
  }

  /** Sum of the squared values in a stratum and class. */
  public double sumSquares(Stratum stratum, int trafficClass) {
    return overBuckets(sumSquares, stratum, trafficClass);
  }

  /** Exceedances in a stratum. */
  public double exceedances(int level, Stratum stratum) {
    return overAll(exceedances[level], stratum);
  }

  /** Exceedances in a stratum and class, {@link TrafficClasses#ALL} for all of them. */
  public double exceedances(int level, Stratum stratum, int trafficClass) {
    return trafficClass == TrafficClasses.ALL
        ? exceedances(level, stratum)
        : overBuckets(exceedances[level], stratum, trafficClass);
  }

  /** Variance of single values around the mean of their class. */
  public double withinVariance(Stratum stratum) {
    return withinVariance[stratum.index()];
  }

  /** Variance of the values of one class, {@link TrafficClasses#ALL} for that within classes. */
  public double withinVariance(Stratum stratum, int trafficClass) {
    return trafficClass == TrafficClasses.ALL
        ? withinVariance(stratum)
        : classVariance[stratum.index() * classes + trafficClass];
  }

  /** Mean that is expected of a stratum, class and load bucket. */
  public double mean(Stratum stratum, int trafficClass, int bucket) {
    return means[(stratum.index() * classes + trafficClass) * cuts.buckets() + bucket];
  }

  /** Exceedance rate that is expected of a stratum, class and load bucket. */
  public double rate(int level, Stratum stratum, int trafficClass, int bucket) {
    return rates[level][(stratum.index() * classes + trafficClass) * cuts.buckets() + bucket];
  }

  /**
   * By how much the load may have moved what is expected, as a logarithm: the elasticity times the
   * log ratio of the load of a pane to that of its bucket. A reference that has seen a day knows
   * how durations follow the load; a younger one has seen a slope of it at best.
   *
   * @return 0 when the elasticity is; of its sign for a load above, of the other for one below
   */
  public double loadRatio(PaneCounts pane, int bucket) {
    double usual = bucketLoads[bucket];
    return loadElasticity != 0 && usual > 0 && pane.load() > 0
        ? loadElasticity * StrictMath.log(pane.load() / usual)
        : 0;
  }

  /** Sum that is expected of a pane, given how many values of each class it holds. */
  public double expectedSum(PaneCounts pane, Stratum stratum, int bucket) {
    double expected = 0;
    for (int g = 0; g < classes; g++) {
      expected += pane.n(stratum, g) * mean(stratum, g, bucket);
    }
    return expected;
  }

  /** The same of one class, {@link TrafficClasses#ALL} for all of them. */
  public double expectedSum(PaneCounts pane, Stratum stratum, int trafficClass, int bucket) {
    return trafficClass == TrafficClasses.ALL
        ? expectedSum(pane, stratum, bucket)
        : pane.n(stratum, trafficClass) * mean(stratum, trafficClass, bucket);
  }

  /** Exceedances that are expected of a pane, of one class or of {@link TrafficClasses#ALL}. */
  public double expectedExceedances(
      int level, PaneCounts pane, Stratum stratum, int trafficClass, int bucket) {
    return trafficClass == TrafficClasses.ALL
        ? expectedExceedances(level, pane, stratum, bucket)
        : pane.n(stratum, trafficClass) * rate(level, stratum, trafficClass, bucket);
  }

  /** Exceedances that are expected of a pane. */
  public double expectedExceedances(int level, PaneCounts pane, Stratum stratum, int bucket) {
    double expected = 0;
    for (int g = 0; g < classes; g++) {
      expected += pane.n(stratum, g) * rate(level, stratum, g, bucket);
    }
    return expected;
  }

  void write(Content.Writer out) {
    out.doubles(cuts.edges());
    out.number(cuts.highest());
    out.count(classes);
    out.doubles(tails.stream().mapToDouble(Double::doubleValue).toArray());
    out.doubles(n);
    out.doubles(sum);
    out.doubles(sumSquares);
    for (double[] level : exceedances) {
      out.doubles(level);
    }
    out.doubles(bucketLoads);
    out.number(loadElasticity);
  }

  static ReferenceTable read(Content.Reader in) {
    LoadCuts cuts = new LoadCuts(in.doubles(), in.number());
    int classes = in.count();
    List<Double> tails = Content.listOf(in.doubles());
    double[] n = in.doubles();
    double[] sum = in.doubles();
    double[] sumSquares = in.doubles();
    double[][] exceedances = new double[tails.size()][];
    for (int level = 0; level < exceedances.length; level++) {
      exceedances[level] = in.doubles();
    }
    return new ReferenceTable(
        cuts, classes, tails, n, sum, sumSquares, exceedances, in.doubles(), in.number());
  }
}
