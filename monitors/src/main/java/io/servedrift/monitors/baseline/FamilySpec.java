package io.servedrift.monitors.baseline;

import java.util.List;

/**
 * What a family of tests watches in one metric of one configuration. Defaults as in STATISTICS B.9.
 *
 * @param statistic which statistic
 * @param tails for counts: share of the reference beyond each threshold, for example 0.01 for the
 *     p99; for ratios one number, used as the weight of shrinkage only
 * @param upper whether exceedances are values above the threshold (else below); for ratios, whether
 *     1 is the failure (else 0)
 * @param logarithmic whether means and tails are taken on the scale of the logarithm
 * @param floors smallest shifts that matter
 * @param scope what is compared with what
 * @param mostSlices how many traffic classes, and how many nodes, have tracks of their own; 0 for
 *     none
 */
public record FamilySpec(
    Statistic statistic,
    List<Double> tails,
    boolean upper,
    boolean logarithmic,
    Floors floors,
    Scope scope,
    int mostSlices) {
  /** What is compared with what. */
  public enum Scope {
    /** A configuration with its own past, given the traffic: what may page. */
    ADJUSTED(0),
    /**
     * All traffic with its own past, whatever was asked for and however busy it was: a finding
     * about load and mix. Only what leaves the range of the days of the reference counts.
     */
    MARGINAL(1),
    /**
     * A configuration with the one before it, given the traffic but not the load: all traffic, the
     * clean strata (miss, batch 1, batch 2-3), its classes, and hits and large batches against the
     * rest, within each class too.
     */
    PREDECESSOR(2);

    private final int code;

    Scope(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Scope of(int code) {
      for (Scope scope : values()) {
        if (scope.code == code) {
          return scope;
        }
      }
      throw new IllegalArgumentException("scope " + code + ": must be 0 to 2");
    }
  }

  /** Which statistic a family watches. */
  public enum Statistic {
    /** Means, in both directions. */
    MEAN(0),
    /** Counts beyond quantiles of the reference, upward. */
    TAIL(1),
    /** Counts of failures, upward. */
    RATIO(2);

    private final int code;

    Statistic(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Statistic of(int code) {
      for (Statistic statistic : values()) {
        if (statistic.code == code) {
          return statistic;
        }
      }
      throw new IllegalArgumentException("statistic " + code + ": must be 0 to 2");
    }
  }

  /** Classes or nodes that may have tracks of their own. */
  public static final int MOST_SLICES = 8;

  private static final double RATIO_WEIGHT = 0.1;

  /** Three times the tail at twice the load. */
  private static final double TAIL_ELASTICITY = 1.6;

  /** Half as long again at twice the load. */
  private static final double MEAN_ELASTICITY = 0.6;

  /** Nearer to zero, the logarithm of a duration says nothing. */
  private static final double SMALLEST = 1e-9;

  /** Checks that the floors fit the levels. */
  public FamilySpec {
    tails = List.copyOf(tails);
    for (double tail : tails) {
      if (!(tail > 0 && tail < 1)) {
        throw new IllegalArgumentException(
            "tail " + tail + ": must lie between 0 and 1, both excluded");
      }
    }
    if (floors.countOverall().size() < tails.size()) {
      throw new IllegalArgumentException(
          "floors for " + floors.countOverall().size() + " levels: must cover " + tails.size());
    }
    if (mostSlices < 0 || mostSlices > MOST_SLICES) {
      throw new IllegalArgumentException(
          "mostSlices=" + mostSlices + ": must be 0 to " + MOST_SLICES);
    }
  }

  /** Of scope {@link Scope#ADJUSTED}, without slices. */
  public FamilySpec(
      Statistic statistic, List<Double> tails, boolean upper, boolean logarithmic, Floors floors) {
    this(statistic, tails, upper, logarithmic, floors, Scope.ADJUSTED, 0);
  }

  /** Latency, queue and other durations: more values above the p50, p90, p99, p99.9. */
  public static FamilySpec durationTail() {
    return new FamilySpec(
        Statistic.TAIL,
        List.of(1 - .5, 1 - .9, 1 - .99, 1 - .999),
        true,
        true,
        new Floors(0, 0, 0, List.of(.1, .2, .25, .5), List.of(.2, .3, .5, 1.), 0));
  }

  /** Durations for the better: more values below the p50 and p10. Worth knowing, no more. */
  public static FamilySpec durationFaster() {
    return new FamilySpec(
        Statistic.TAIL,
        List.of(.5, .1),
        false,
        true,
        new Floors(0, 0, 0, List.of(.1, .2), List.of(.2, .3), 0));
  }

  /** The body of durations: mean of the logarithm. */
  public static FamilySpec durationMean() {
    return new FamilySpec(Statistic.MEAN, List.of(), true, true, scoreMean().floors);
  }

  /** Mean of a score, winsorised. */
  public static FamilySpec scoreMean() {
    return new FamilySpec(
        Statistic.MEAN, List.of(), true, false, new Floors(.1, .2, 0, List.of(), List.of(), 0));
  }

  /** Low scores: more values below the lowest 5 % and 1 % of the reference. */
  public static FamilySpec scoreTail() {
    return new FamilySpec(
        Statistic.TAIL,
        List.of(.05, .01),
        false,
        false,
        new Floors(0, 0, 0, List.of(.25, .25), List.of(.5, .5), 0));
  }

  /**
   * Failures: errors, invalid outputs.
   *
   * @param failure the value that is a failure: 1 of error_ratio, 0 of json_valid
   */
  public static FamilySpec failureRatio(int failure) {
    if (failure != 0 && failure != 1) {
      throw new IllegalArgumentException("failure=" + failure + ": must be 0 or 1");
    }
    return new FamilySpec(
        Statistic.RATIO,
        List.of(RATIO_WEIGHT),
        failure == 1,
        false,
        new Floors(0, 0, 0, List.of(.25), List.of(.5), .002));
  }

  /** The same with other floors. */
  public FamilySpec withFloors(Floors other) {
    return new FamilySpec(statistic, tails, upper, logarithmic, other, scope, mostSlices);
  }

  /** The same of another scope. */
  public FamilySpec in(Scope other) {
    return new FamilySpec(statistic, tails, upper, logarithmic, floors, other, mostSlices);
  }

  /** The same with tracks for at most so many traffic classes and so many nodes. */
  public FamilySpec slicedInto(int most) {
    return new FamilySpec(statistic, tails, upper, logarithmic, floors, scope, most);
  }

  /**
   * How steeply what is expected may follow the load beyond what a young reference saw: the
   * exponent of the load, negative for what gets less. Durations do, scores and failures are not
   * expected to.
   */
  double loadElasticity() {
    if (!logarithmic || scope != Scope.ADJUSTED) {
      return 0;
    }
    if (statistic == Statistic.MEAN) {
      return MEAN_ELASTICITY;
    }
    return upper ? TAIL_ELASTICITY : -TAIL_ELASTICITY;
  }

  /** A value on the scale of the family. */
  double scaled(double value) {
    return logarithmic ? StrictMath.log(Math.max(value, SMALLEST)) : value;
  }

  /** The inverse of {@link #scaled}. */
  double unscaled(double value) {
    return logarithmic ? StrictMath.exp(value) : value;
  }

  void write(Content.Writer out) {
    out.count(statistic.code());
    out.doubles(array(tails));
    out.count(upper ? 1 : 0);
    out.count(logarithmic ? 1 : 0);
    out.number(floors.meanOverall());
    out.number(floors.meanStratum());
    out.number(floors.minimumShift());
    out.doubles(array(floors.countOverall()));
    out.doubles(array(floors.countStratum()));
    out.number(floors.absoluteRate());
    out.count(scope.code());
    out.count(mostSlices);
  }

  static FamilySpec read(Content.Reader in) {
    return new FamilySpec(
        Statistic.of(in.count()),
        Content.listOf(in.doubles()),
        in.count() == 1,
        in.count() == 1,
        new Floors(
            in.number(),
            in.number(),
            in.number(),
            Content.listOf(in.doubles()),
            Content.listOf(in.doubles()),
            in.number()),
        Scope.of(in.count()),
        in.count());
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
