package io.servedrift.monitors.baseline;

import java.util.Arrays;

/**
 * Where values are cut: winsorised for means, counted as exceedances for tails. By level, stratum
 * and traffic class, because a large batch is slow anyway: a stretch of its own tail can lie wholly
 * beyond the p99 of everything. Immutable and thread-safe.
 */
public final class Thresholds {
  private final double lowest;
  private final double highest;
  private final double[][][] cuts;

  /**
   * Thresholds from anywhere.
   *
   * @param lowest smaller values count as this one in means
   * @param highest larger values count as this one
   * @param cuts by level, stratum index and class; values beyond are exceedances
   */
  public Thresholds(double lowest, double highest, double[][][] cuts) {
    if (!(lowest <= highest)) {
      throw new IllegalArgumentException(
          "winsorising at " + lowest + ".." + highest + ": must be ascending");
    }
    this.lowest = lowest;
    this.highest = highest;
    this.cuts = copy(cuts);
  }

  /** No cuts and no limits: for ratios. */
  public static Thresholds none() {
    return new Thresholds(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, new double[0][][]);
  }

  /** Lower limit of values in means. */
  public double lowest() {
    return lowest;
  }

  /** Upper limit of values in means. */
  public double highest() {
    return highest;
  }

  /** A value as it enters means. */
  public double winsorised(double value) {
    return Math.max(lowest, Math.min(highest, value));
  }

  /** Number of levels. */
  public int levels() {
    return cuts.length;
  }

  /** Threshold of a level in a stratum and class. */
  public double cut(int level, Stratum stratum, int trafficClass) {
    return cuts[level][stratum.index()][trafficClass];
  }

  private static double[][][] copy(double[][][] from) {
    double[][][] copy = new double[from.length][][];
    for (int i = 0; i < from.length; i++) {
      copy[i] = new double[from[i].length][];
      for (int j = 0; j < from[i].length; j++) {
        copy[i][j] = from[i][j].clone();
      }
    }
    return copy;
  }

  void write(Content.Writer out) {
    out.number(lowest);
    out.number(highest);
    out.count(cuts.length);
    for (double[][] level : cuts) {
      out.count(level.length);
      for (double[] stratum : level) {
        out.doubles(stratum);
      }
    }
  }

  static Thresholds read(Content.Reader in) {
    double lowest = in.number();
    double highest = in.number();
    double[][][] cuts = new double[size(in.count())][][];
    for (int level = 0; level < cuts.length; level++) {
      cuts[level] = new double[size(in.count())][];
      for (int s = 0; s < cuts[level].length; s++) {
        cuts[level][s] = in.doubles();
      }
    }
    return new Thresholds(lowest, highest, cuts);
  }

  private static int size(int announced) {
    if (announced < 0 || announced > 1000) {
      throw new IllegalArgumentException(
          "content: " + announced + " thresholds announced, must be 0 to 1000");
    }
    return announced;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Thresholds that
        && Double.compare(lowest, that.lowest) == 0
        && Double.compare(highest, that.highest) == 0
        && Arrays.deepEquals(cuts, that.cuts);
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(cuts);
  }

  @Override
  public String toString() {
    return "Thresholds[" + lowest + ".." + highest + ", levels=" + cuts.length + "]";
  }
}
