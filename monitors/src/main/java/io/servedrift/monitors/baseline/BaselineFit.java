package io.servedrift.monitors.baseline;

import io.servedrift.monitors.baseline.FamilySpec.Scope;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.stats.GaussianFactor;
import io.servedrift.monitors.stats.OeCountFactor;
import io.servedrift.monitors.stats.ShareFactor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fits a {@link Baseline} to panes: tables, long-run variance, the uncertainty of a finite
 * reference, and a replay of every component over its own reference (STATISTICS B.2 and B.3). A
 * function of its arguments. Young references are used as they are: their uncertainty and {@link
 * #YOUNG_INFLATION} keep all but large shifts below any level.
 */
public final class BaselineFit {
  /** Panes below which no baseline is fitted. */
  public static final int LEAST_PANES = 20;

  /** One-sided 95 %: the reference may be off by so many of its standard errors. */
  static final double UNCERTAINTY_QUANTILE = 1.645;

  /**
   * A reference of a few minutes has shown nothing of slow drift: the inflation of means is at
   * least this, fading to 1 over a day.
   */
  static final double YOUNG_INFLATION = 1.5;

  /**
   * The same for counts: the burst of the day has most likely not been seen, and it is all tail.
   */
  static final double YOUNG_COUNT_INFLATION = 3;

  private static final double MINUTES_PER_DAY = 1440;
  private static final double MICROS_PER_MINUTE = 60_000_000;
  private static final int LEAST_MEAN_UPDATES = 20;
  private static final int LEAST_CONTRAST_UPDATES = 100;
  private static final double LEAST_EXCEEDANCES = 8;
  private static final double LEAST_FOR_RATIO = 300;
  private static final double LEAST_FOR_STRATUM = 300;
  private static final double RANGE_MINUTES = 60;
  private static final int REPLAY_ROUNDS = 25;
  private static final double REPLAY_STEP = 1.3;

  private final FamilySpec spec;
  private final TrafficClasses trafficClasses;
  private final List<String> nodes;
  private final List<PaneCounts> panes;
  private final long paneMicros;
  private final double paneMinutes;
  private final int grid;
  private final double minutes;
  private final ReferenceTable table;
  private final LongRun longRun;

  private BaselineFit(
      FamilySpec spec,
      TrafficClasses classes,
      List<String> nodes,
      List<PaneCounts> panes,
      long paneMicros) {
    this.spec = spec;
    trafficClasses = classes;
    this.nodes = nodes;
    this.panes = panes;
    this.paneMicros = paneMicros;
    paneMinutes = paneMicros / MICROS_PER_MINUTE;
    grid = slot(panes.get(panes.size() - 1)) + 1;
    minutes = grid * paneMinutes;
    double[] loads = panes.stream().mapToDouble(PaneCounts::load).toArray();
    LoadCuts cuts = spec.scope() == Scope.ADJUSTED ? LoadCuts.of(loads, minutes) : LoadCuts.none();
    double elasticity = minutes < MINUTES_PER_DAY ? spec.loadElasticity() : 0;
    ReferenceTable own = ReferenceTable.of(panes, cuts, classes.size(), spec.tails(), elasticity);
    table = spec.scope() == Scope.PREDECESSOR ? own.borrowing(LEAST_FOR_STRATUM) : own;
    longRun = new LongRun(paneMinutes);
  }

  private int slot(PaneCounts pane) {
    return Math.toIntExact((pane.startMicros() - panes.get(0).startMicros()) / paneMicros);
  }

  /**
   * Fits.
   *
   * @param classes the traffic classes, by whose index the panes were counted
   * @param thresholds those the panes were counted with
   * @param panes ascending by start, at least {@link #LEAST_PANES}; gaps are allowed
   * @param paneMicros length of a pane
   * @throws IllegalArgumentException when the panes are too few, out of order or of another shape
   */
  public static Baseline fit(
      FamilySpec spec,
      TrafficClasses classes,
      Thresholds thresholds,
      List<PaneCounts> panes,
      long paneMicros) {
    return fit(spec, classes, thresholds, List.of(), panes, paneMicros);
  }

  /**
   * Fits, with tracks for nodes.
   *
   * @param nodes those that the panes were counted with
   */
  static Baseline fit(
      FamilySpec spec,
      TrafficClasses classes,
      Thresholds thresholds,
      List<String> nodes,
      List<PaneCounts> panes,
      long paneMicros) {
    if (panes.size() < LEAST_PANES) {
      throw new IllegalArgumentException(
          "panes=" + panes.size() + ": a baseline needs at least " + LEAST_PANES);
    }
    for (int i = 0; i < panes.size(); i++) {
      PaneCounts pane = panes.get(i);
      if (pane.classes() != classes.size() || pane.levels() != spec.tails().size()) {
        throw new IllegalArgumentException(
            pane
                + ": has "
                + pane.classes()
                + " classes and "
                + pane.levels()
                + " levels, must have "
                + classes.size()
                + " and "
                + spec.tails().size());
      }
      if (i > 0 && pane.startMicros() <= panes.get(i - 1).startMicros()) {
        throw new IllegalArgumentException(pane + ": must start after the pane before");
      }
    }
    BaselineFit fit = new BaselineFit(spec, classes, nodes, panes, paneMicros);
    PaneCounts last = panes.get(panes.size() - 1);
    return new Baseline(
        spec,
        classes,
        thresholds,
        nodes,
        panes.get(0).startMicros(),
        last.startMicros() + paneMicros,
        paneMicros,
        panes.size(),
        fit.table,
        fit.tracks());
  }

  private List<TrackCalibration> tracks() {
    List<TrackCalibration> found = new ArrayList<>();
    if (spec.scope() == Scope.MARGINAL && minutes < MINUTES_PER_DAY) {
      // Without a whole day nobody knows the range of a day.
      return found;
    }
    for (Track track : new TrackPlan(spec, trafficClasses, nodes).tracks()) {
      addIfSupported(found, track);
    }
    return found;
  }

  private void addIfSupported(List<TrackCalibration> found, Track track) {
    @Nullable Observation[] seen = new @Nullable Observation[grid];
    TrackFeed feed = Baseline.feed(spec, track, table);
    for (PaneCounts pane : panes) {
      seen[slot(pane)] = feed.next(pane);
    }
    TrackCalibration calibration =
        switch (track.kind()) {
          case MEAN -> gaussian(track, seen, LEAST_MEAN_UPDATES, false);
          case CONTRAST -> gaussian(track, seen, leastContrastUpdates(), true);
          case COUNT -> count(track, seen);
          case SHARE -> share(track, seen);
        };
    if (calibration == null && spec.scope() == Scope.PREDECESSOR) {
      calibration = levelTest(track, found);
    }
    if (calibration != null) {
      found.add(replayed(calibration, seen));
    }
  }

  /**
   * A contrast of which the reference says nothing: the two sides are expected to be alike, within
   * the floor of a stratum, and to vary as all traffic does. What both share cancels, so that is
   * more than they will.
   */
  private @Nullable TrackCalibration levelTest(Track track, List<TrackCalibration> found) {
    // Durations are not alike: a hit saves time, and a large batch takes it.
    if (track.contrast() == null || spec.logarithmic()) {
      return null;
    }
    for (TrackCalibration all : found) {
      Track known = all.track();
      if (track.kind() == Track.Kind.SHARE && all.referencePrecision() <= 0) {
        // A reference that never failed says nothing of how failures are shared out.
        continue;
      }
      if (known.stratum() == Stratum.ALL
          && known.level() == track.level()
          && Objects.equals(known.slice(), track.slice())) {
        return track.kind() == Track.Kind.CONTRAST
            ? new TrackCalibration(
                track,
                false,
                all.valueDeviation(),
                0,
                all.paneVariance(),
                all.inflation(),
                all.uncertainty(),
                spec.floors().mean(track),
                spec.floors().minimumShift(),
                all.referenceUpdates(),
                all.referencePrecision(),
                0,
                minutes,
                TrackCalibration.noReplay(track))
            : calibration(
                track,
                false,
                all.inflation(),
                ShareFactor.baselineFactor(all.referencePrecision(), all.referencePrecision()),
                all.referenceUpdates(),
                all.referencePrecision(),
                all.referencePrecision());
      }
    }
    return null;
  }

  /**
   * The highest of the hourly ratios of a reference, absolute: how far a marginal series goes on an
   * ordinary day.
   */
  private double range(double[] above, double[] below) {
    int window = (int) Math.max(1, RANGE_MINUTES / paneMinutes);
    double highest = 0;
    for (int from = 0; from + window <= grid; from += window) {
      double total = 0;
      double size = 0;
      for (int at = from; at < from + window; at++) {
        total += above[at];
        size += below[at];
      }
      if (size > 0) {
        highest = Math.max(highest, Math.abs(total / size));
      }
    }
    return highest;
  }

  /** A contrast of a short reference has fewer updates: a tenth of its panes, not below 20. */
  private int leastContrastUpdates() {
    return Math.max(LEAST_MEAN_UPDATES, Math.min(LEAST_CONTRAST_UPDATES, panes.size() / 10));
  }

  private double youngMeans(double inflation) {
    double age = Math.min(1, minutes / MINUTES_PER_DAY);
    return Math.max(inflation, 1 + (YOUNG_INFLATION - 1) * (1 - age));
  }

  private double youngCounts(double inflation) {
    double youth = Math.min(1, Math.max(0, (3 - minutes / MINUTES_PER_DAY) / 2));
    return Math.max(inflation, 1 + (YOUNG_COUNT_INFLATION - 1) * youth);
  }

  private @Nullable TrackCalibration gaussian(
      Track track, @Nullable Observation[] seen, int least, boolean centred) {
    int updates = 0;
    double sum = 0;
    for (Observation one : seen) {
      if (one != null) {
        updates++;
        sum += one.observed();
      }
    }
    double deviation = Math.sqrt(table.withinVariance(track.stratum(), track.trafficClass()));
    if (updates < least || deviation == 0) {
      return null;
    }
    double beyondSampling = 0;
    for (Observation one : seen) {
      if (one != null) {
        beyondSampling += one.observed() * one.observed() - one.size();
      }
    }
    double paneVariance = Math.max(0, beyondSampling / updates);
    TrackCalibration open =
        new TrackCalibration(
            track,
            false,
            deviation,
            centred ? sum / updates : 0,
            paneVariance,
            1,
            0,
            spec.floors().mean(track),
            spec.floors().minimumShift(),
            updates,
            0,
            0,
            minutes,
            TrackCalibration.noReplay(track));
    double[] z = new double[grid];
    Arrays.fill(z, Double.NaN);
    double[] sums = new double[grid];
    double[] present = new double[grid];
    double precision = 0;
    for (int at = 0; at < grid; at++) {
      Observation one = seen[at];
      if (one != null) {
        z[at] = open.standardised(one);
        sums[at] = z[at];
        present[at] = 1;
        precision += 1 / open.variance(one);
      }
    }
    double kappa = youngMeans(longRun.ofMeans(z));
    double uncertainty = GaussianFactor.baselineMargin(kappa, updates);
    if (spec.scope() == Scope.MARGINAL) {
      uncertainty = Math.max(uncertainty, range(sums, present));
    }
    return new TrackCalibration(
        track,
        false,
        deviation,
        open.center(),
        paneVariance,
        kappa,
        uncertainty,
        open.relativeFloor(),
        open.absoluteFloor(),
        updates,
        precision,
        0,
        minutes,
        open.replayFactors());
  }

  private @Nullable TrackCalibration count(Track track, @Nullable Observation[] seen) {
    boolean ratio = spec.statistic() == Statistic.RATIO;
    double[] observed = new double[grid];
    double[] expected = new double[grid];
    double[] sizes = new double[grid];
    int updates = 0;
    double total = 0;
    double n = 0;
    for (int at = 0; at < grid; at++) {
      Observation one = seen[at];
      if (one != null) {
        observed[at] = one.observed();
        expected[at] = one.expected();
        sizes[at] = one.size();
        total += one.expected();
        n += one.size();
        updates++;
      }
    }
    if (ratio ? n < LEAST_FOR_RATIO : total < LEAST_EXCEEDANCES) {
      return null;
    }
    double dispersion = longRun.ofCounts(observed, expected);
    double phi = ratio ? youngMeans(dispersion) : youngCounts(dispersion);
    double failures = table.exceedances(track.level(), track.stratum(), track.trafficClass());
    // Upper 95 % bound of the rate less the rate itself; 3 / n when nothing ever failed.
    double uncertainty =
        ratio
            ? (3 + UNCERTAINTY_QUANTILE * Math.sqrt(phi * failures)) / n
            : OeCountFactor.baselineFactor(phi, total);
    if (spec.scope() == Scope.MARGINAL) {
      double range = ratio ? range(observed, sizes) - failures / n : range(observed, expected);
      uncertainty = Math.max(uncertainty, range);
    }
    return calibration(track, ratio, phi, uncertainty, updates, total, 0);
  }

  private @Nullable TrackCalibration share(Track track, @Nullable Observation[] seen) {
    Contrast contrast = track.contrast();
    if (contrast == null) {
      return null;
    }
    double[] excess = new double[grid];
    double[] variance = new double[grid];
    int updates = 0;
    for (int at = 0; at < grid; at++) {
      Observation one = seen[at];
      if (one != null) {
        excess[at] = one.observed() - one.expected() * one.size();
        variance[at] = one.expected() * (1 - one.expected()) * one.size();
        updates++;
      }
    }
    double subject = 0;
    double other = 0;
    for (PaneCounts pane : panes) {
      int bucket = table.cuts().nearest(pane.load());
      double[] expected = new double[Stratum.count()];
      for (Stratum stratum : Stratum.all()) {
        expected[stratum.index()] = table.expectedExceedances(track.level(), pane, stratum, bucket);
      }
      subject += expected[contrast.subject().index()];
      other += contrast.otherSide(expected);
    }
    if (subject < LEAST_EXCEEDANCES || other < LEAST_EXCEEDANCES) {
      return null;
    }
    double phi = youngMeans(longRun.ofShares(excess, variance));
    double uncertainty = ShareFactor.baselineFactor(subject, other);
    return calibration(track, false, phi, uncertainty, updates, subject, other);
  }

  private TrackCalibration calibration(
      Track track,
      boolean ratio,
      double phi,
      double uncertainty,
      int updates,
      double expected,
      double otherExpected) {
    return new TrackCalibration(
        track,
        ratio,
        0,
        0,
        0,
        phi,
        uncertainty,
        spec.floors().count(track),
        spec.floors().absoluteRate(),
        updates,
        expected,
        otherExpected,
        minutes,
        TrackCalibration.noReplay(track));
  }

  /**
   * Runs every component over its own reference. Where it exceeds what an e-detector may reach by
   * chance, bursts are heavier than the factor allows for, and its inflation grows.
   */
  private TrackCalibration replayed(TrackCalibration calibration, @Nullable Observation[] seen) {
    double[] factors = new double[calibration.components()];
    for (int component = 0; component < factors.length; component++) {
      factors[component] = 1;
      for (int round = 0; round < REPLAY_ROUNDS; round++) {
        double highest = highest(calibration.withReplayFactors(factors), seen, component);
        if (highest <= panes.size()) {
          break;
        }
        factors[component] *= REPLAY_STEP;
      }
    }
    return calibration.withReplayFactors(factors);
  }

  private double highest(
      TrackCalibration calibration, @Nullable Observation[] seen, int component) {
    EvidencePath path = new EvidencePath();
    double highest = 0;
    for (Observation one : seen) {
      path.pass(paneMinutes);
      if (one != null) {
        highest = Math.max(highest, path.step(calibration.logFactor(one, component)));
      }
    }
    return highest;
  }
}
