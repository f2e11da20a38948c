package io.servedrift.monitors.baseline;

import java.util.Arrays;

/**
 * What detection needs of one pane of one series: for every stratum and traffic class the number of
 * values, their sum, sum of squares and exceedance counts, and the load. Immutable and thread-safe.
 */
public final class PaneCounts {
  private final long startMicros;
  private final double load;
  private final int classes;
  private final double[] n;
  private final double[] sum;
  private final double[] sumSquares;
  private final double[][] exceedances;
  private final double leftOut;
  private final double[] nodeN;
  private final double[] nodeSum;

  private PaneCounts(Builder from) {
    startMicros = from.startMicros;
    load = from.load;
    classes = from.classes;
    n = from.n.clone();
    sum = from.sum.clone();
    sumSquares = from.sumSquares.clone();
    leftOut = from.leftOut;
    nodeN = from.nodeN.clone();
    nodeSum = from.nodeSum.clone();
    exceedances = new double[from.exceedances.length][];
    for (int level = 0; level < exceedances.length; level++) {
      exceedances[level] = from.exceedances[level].clone();
    }
  }

  /** Start of the pane, microseconds since the epoch. */
  public long startMicros() {
    return startMicros;
  }

  /** Mean arrivals per minute of the last 15 minutes, this pane included. */
  public double load() {
    return load;
  }

  /** Number of traffic classes. */
  public int classes() {
    return classes;
  }

  /** Number of quantiles whose exceedances are counted. */
  public int levels() {
    return exceedances.length;
  }

  /** Number of values of classes that the baseline never saw; they are in no other number. */
  public double leftOut() {
    return leftOut;
  }

  /** Number of values in a stratum and class, {@link TrafficClasses#ALL} for all of them. */
  public double n(Stratum stratum, int trafficClass) {
    return trafficClass == TrafficClasses.ALL ? n(stratum) : n[at(stratum, trafficClass)];
  }

  /** Sum of the (winsorised) values, as {@link #n(Stratum, int)}. */
  public double sum(Stratum stratum, int trafficClass) {
    return trafficClass == TrafficClasses.ALL ? sum(stratum) : sum[at(stratum, trafficClass)];
  }

  /** Sum of their squares. */
  public double sumSquares(Stratum stratum, int trafficClass) {
    return sumSquares[at(stratum, trafficClass)];
  }

  /** Number of values beyond the threshold of a level, as {@link #n(Stratum, int)}. */
  public double exceedances(int level, Stratum stratum, int trafficClass) {
    return trafficClass == TrafficClasses.ALL
        ? exceedances(level, stratum)
        : exceedances[level][at(stratum, trafficClass)];
  }

  /** Number of values of a node; the last index is that of all unlisted nodes together. */
  public double nodeN(int node) {
    return nodeN[node];
  }

  /** Number of values of all other nodes. */
  double otherNodesN(int node) {
    return without(nodeN, node);
  }

  /** Sum of the (winsorised) values of a node. */
  double nodeSum(int node) {
    return nodeSum[node];
  }

  /** Sum of the (winsorised) values of all other nodes. */
  double otherNodesSum(int node) {
    return without(nodeSum, node);
  }

  private static double without(double[] nodes, int node) {
    double total = 0;
    for (int at = 0; at < nodes.length; at++) {
      total += at == node ? 0 : nodes[at];
    }
    return total;
  }

  /** Number of values over all classes. */
  public double n(Stratum stratum) {
    return overClasses(n, stratum);
  }

  /** Sum over all classes. */
  public double sum(Stratum stratum) {
    return overClasses(sum, stratum);
  }

  /** Exceedances over all classes. */
  public double exceedances(int level, Stratum stratum) {
    return overClasses(exceedances[level], stratum);
  }

  private double overClasses(double[] cells, Stratum stratum) {
    double total = 0;
    for (int g = 0; g < classes; g++) {
      total += cells[at(stratum, g)];
    }
    return total;
  }

  private int at(Stratum stratum, int trafficClass) {
    return stratum.index() * classes + trafficClass;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PaneCounts that
        && startMicros == that.startMicros
        && Double.compare(load, that.load) == 0
        && classes == that.classes
        && Double.compare(leftOut, that.leftOut) == 0
        && Arrays.equals(n, that.n)
        && Arrays.equals(sum, that.sum)
        && Arrays.equals(sumSquares, that.sumSquares)
        && Arrays.deepEquals(exceedances, that.exceedances)
        && Arrays.equals(nodeN, that.nodeN)
        && Arrays.equals(nodeSum, that.nodeSum);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(new long[] {startMicros, Arrays.hashCode(n), Arrays.hashCode(sum)});
  }

  @Override
  public String toString() {
    return "PaneCounts[start=" + startMicros + ", n=" + n(Stratum.ALL) + ", load=" + load + "]";
  }

  /** Adds up a pane. Doubles are summed in the order of the calls. Not thread-safe. */
  public static final class Builder {
    private final long startMicros;
    private final double load;
    private final int classes;
    private final double[] n;
    private final double[] sum;
    private final double[] sumSquares;
    private final double[][] exceedances;
    private final double[] nodeN;
    private final double[] nodeSum;
    private double leftOut;

    /**
     * An empty pane.
     *
     * @param load mean arrivals per minute of the last 15 minutes, see {@link LoadMeter}
     */
    public Builder(long startMicros, double load, int classes, int levels) {
      this(startMicros, load, classes, levels, 0);
    }

    /**
     * An empty pane that keeps nodes apart.
     *
     * @param nodes number of listed nodes; 0 when none are watched
     */
    Builder(long startMicros, double load, int classes, int levels, int nodes) {
      if (classes < 1) {
        throw new IllegalArgumentException("classes=" + classes + ": must be at least 1");
      }
      this.startMicros = startMicros;
      this.load = load;
      this.classes = classes;
      int cells = Stratum.count() * classes;
      n = new double[cells];
      sum = new double[cells];
      sumSquares = new double[cells];
      exceedances = new double[levels][cells];
      nodeN = new double[nodes == 0 ? 0 : nodes + 1];
      nodeSum = new double[nodeN.length];
    }

    /** Adds values to a stratum and class. */
    public Builder add(
        Stratum stratum, int trafficClass, double count, double total, double squares) {
      int at = stratum.index() * classes + trafficClass;
      n[at] += count;
      sum[at] += total;
      sumSquares[at] += squares;
      return this;
    }

    /** Adds exceedances of a level. */
    public Builder addExceedances(int level, Stratum stratum, int trafficClass, double count) {
      exceedances[level][stratum.index() * classes + trafficClass] += count;
      return this;
    }

    /** Adds values of a node; the last index is that of all unlisted nodes together. */
    Builder addNode(int node, double count, double total) {
      nodeN[node] += count;
      nodeSum[node] += total;
      return this;
    }

    /** Leaves out values of a class that the baseline never saw. */
    public Builder leaveOut(double count) {
      leftOut += count;
      return this;
    }

    /** The pane so far. */
    public PaneCounts build() {
      return new PaneCounts(this);
    }
  }
}
