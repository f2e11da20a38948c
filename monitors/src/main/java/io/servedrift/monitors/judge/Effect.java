package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.baseline.TrafficClasses;
import java.util.List;
import java.util.Optional;

/**
 * How much a series moved like for like: observed minus what the baseline expects of the same
 * classes at the same load, over all requests. The interval carries the long-run variance of the
 * series and the uncertainty of the baseline. Immutable.
 *
 * @param value difference: in the unit of the metric, relative for durations, a rate for counts
 * @param lower 95 % interval
 * @param ratio observed over expected, for counts; NaN for means
 * @param unit {@code score}, {@code relative}, {@code share of requests}
 * @param beyond for counts the baseline's quantile that is exceeded, for example {@code p99}
 * @param n values
 */
record Effect(
    double value, double lower, double upper, double ratio, String unit, String beyond, long n) {
  private static final double Z95 = 1.959963984540054;

  /** Used when the baseline is too young for a track over everything. */
  private static final double UNKNOWN_INFLATION = 2;

  /** The mean, or the count beyond a level. */
  static Effect of(Baseline baseline, int level, List<PaneCounts> panes) {
    return of(baseline, level, panes, Stratum.ALL, TrafficClasses.ALL);
  }

  /** The same for the requests that a track is about; for a node, for all. */
  static Effect of(Baseline baseline, int level, List<PaneCounts> panes, Track track) {
    return of(baseline, level, panes, track.stratum(), track.trafficClass());
  }

  /** The same for a stratum of a class, {@link TrafficClasses#ALL} for all of them. */
  static Effect of(
      Baseline baseline, int level, List<PaneCounts> panes, Stratum stratum, int trafficClass) {
    return baseline.spec().statistic() == FamilySpec.Statistic.MEAN
        ? mean(baseline, panes, stratum, trafficClass)
        : count(baseline, level, panes, stratum, trafficClass);
  }

  private static Effect mean(
      Baseline baseline, List<PaneCounts> panes, Stratum stratum, int trafficClass) {
    double n = 0;
    double residual = 0;
    int filled = 0;
    for (PaneCounts pane : panes) {
      int bucket = baseline.table().cuts().nearest(pane.load());
      double here = pane.n(stratum, trafficClass);
      n += here;
      residual +=
          pane.sum(stratum, trafficClass)
              - baseline.table().expectedSum(pane, stratum, trafficClass, bucket);
      filled += here > 0 ? 1 : 0;
    }
    boolean relative = baseline.spec().logarithmic();
    if (n == 0) {
      return new Effect(0, Double.NaN, Double.NaN, Double.NaN, unit(relative), "", 0);
    }
    Optional<TrackCalibration> track = track(baseline, Track.Kind.MEAN, -1, stratum, trafficClass);
    double inflation = track.map(TrackCalibration::inflation).orElse(UNKNOWN_INFLATION);
    double variance =
        baseline.table().withinVariance(stratum, trafficClass) / n
            + track.map(TrackCalibration::paneVariance).orElse(0.) / filled
            + track.map(t -> 1 / t.referencePrecision()).orElse(0.);
    double half = Z95 * Math.sqrt(inflation * variance);
    double value = residual / n;
    return new Effect(
        shown(relative, value),
        shown(relative, value - half),
        shown(relative, value + half),
        Double.NaN,
        unit(relative),
        "",
        Math.round(n));
  }

  private static String unit(boolean relative) {
    return relative ? "relative" : "score";
  }

  private static double shown(boolean relative, double value) {
    return relative ? StrictMath.expm1(value) : value;
  }

  private static Effect count(
      Baseline baseline, int level, List<PaneCounts> panes, Stratum stratum, int trafficClass) {
    double n = 0;
    double observed = 0;
    double expected = 0;
    for (PaneCounts pane : panes) {
      int bucket = baseline.table().cuts().nearest(pane.load());
      n += pane.n(stratum, trafficClass);
      observed += pane.exceedances(level, stratum, trafficClass);
      expected += baseline.table().expectedExceedances(level, pane, stratum, trafficClass, bucket);
    }
    boolean failures = baseline.spec().statistic() == FamilySpec.Statistic.RATIO;
    String beyond = failures ? "" : quantileName(baseline.spec(), level);
    String unit = failures ? "ratio" : "share of requests";
    if (n == 0) {
      return new Effect(0, Double.NaN, Double.NaN, Double.NaN, unit, beyond, 0);
    }
    Optional<TrackCalibration> track =
        track(baseline, Track.Kind.COUNT, level, stratum, trafficClass);
    double inflation = track.map(TrackCalibration::inflation).orElse(UNKNOWN_INFLATION);
    double reference = Math.max(.5, baseline.table().exceedances(level, stratum, trafficClass));
    // Half an event more keeps the interval finite when none was seen.
    double variance = inflation * (observed + .5 + expected * expected / reference);
    double half = Z95 * Math.sqrt(variance);
    double value = (observed - expected) / n;
    return new Effect(
        value,
        value - half / n,
        value + half / n,
        observed / Math.max(expected, 1e-9),
        unit,
        beyond,
        Math.round(n));
  }

  /** {@code p99} for the level that 1 % of the baseline exceeds; {@code p5} below. */
  static String quantileName(FamilySpec spec, int level) {
    double tail = spec.tails().get(level);
    double percent = Math.round(1000 * (spec.upper() ? 1 - tail : tail)) / 10.;
    return percent == Math.rint(percent) ? "p" + Math.round(percent) : "p" + percent;
  }

  private static Optional<TrackCalibration> track(
      Baseline baseline, Track.Kind kind, int level, Stratum stratum, int trafficClass) {
    return baseline.tracks().stream()
        .filter(
            t ->
                t.track().kind() == kind
                    && t.track().level() == level
                    && t.track().stratum() == stratum
                    && t.track().trafficClass() == trafficClass)
        .findFirst();
  }
}
