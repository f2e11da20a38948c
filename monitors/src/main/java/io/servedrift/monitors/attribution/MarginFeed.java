package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.MarginSums.Sums;
import io.servedrift.monitors.attribution.PaneTable.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the narrow covariates say: which level's requests moved further than all requests at like
 * load, and what other shares of the levels do to the mean. How far both wander when nothing is
 * wrong is taken from stretches of the reference. Used once; not thread-safe.
 */
final class MarginFeed {
  /** Fewer requests of a level say nothing about it. */
  private static final int LEAST_REQUESTS = 10;

  /** From so many on the reference says what a request of a level usually has. */
  private static final int KNOWN = 30;

  /** A level that nearly every request has cannot be told from all requests. */
  private static final double NEARLY_ALL = .95;

  private static final double SHARE_WEIGHT = 20;
  private static final double BURST_FACTOR = 1.5;
  private static final int FEWEST_STRETCHES = 3;

  /** Relative error of an expected exposure: a request does not take a level's whole offset. */
  private static final double OFFSET_ERROR = .25;

  private static final double ORDINARY = 2;

  private final MarginSums before;
  private final MarginSums now;
  private final List<MarginSums> stretches;
  private final boolean rate;
  private final boolean tail;
  private final int loads;
  private final double[] expected;
  private final double common;

  MarginFeed(
      ReferenceCubes reference,
      MetricView view,
      PaneTable window,
      PaneTable.Columns columns,
      List<int[]> stretches) {
    loads = reference.keys().loads().size();
    rate = view.rate();
    tail = view.level() >= 0;
    PaneTable table = reference.table();
    int index = reference.views().indexOf(view);
    before = new MarginSums(table, reference.columns(), index, loads, 0, table.blocks());
    now = new MarginSums(window, columns, 0, loads, 0, window.blocks());
    this.stretches =
        stretches.stream()
            .map(s -> new MarginSums(table, reference.columns(), index, loads, s[0], s[1]))
            .toList();
    double[] overall = new double[loads];
    Arrays.fill(overall, before.all().sum() / before.all().n());
    expected = before.all().means(overall);
    common = now.all().residual(expected);
  }

  /** Levels whose requests can have moved on their own. */
  List<Margin> margins() {
    List<Margin> margins = new ArrayList<>();
    for (Level level : now.levels()) {
      NarrowCovariate covariate = NarrowCovariate.of(level.covariate()).orElse(null);
      Sums here = now.of(level);
      Sums there = before.of(level);
      if (covariate != null
          && covariate.touched(level.name())
          && here.n() >= LEAST_REQUESTS
          && here.n() <= NEARLY_ALL * now.all().n()
          && there.n() >= LEAST_REQUESTS) {
        double[] means = means(there);
        double one = variance(there);
        double variance = one / here.n() + one / there.n() + wandering(level, means, one);
        margins.add(
            new Margin(
                covariate.label(),
                level.name(),
                covariate.effect(),
                here.n(),
                here.residual(means) - common,
                Math.max(variance, Double.MIN_NORMAL),
                all()));
      }
    }
    return List.copyOf(margins);
  }

  /** A tail is cut by class in cells, but not in margins: these are relative to themselves. */
  private double all() {
    return tail ? common : Double.NaN;
  }

  /** What a level has at each load: its own mean, else its usual distance from all requests. */
  private double[] means(Sums level) {
    double offset = level.residual(expected);
    double[] prior = new double[loads];
    for (int load = 0; load < loads; load++) {
      prior[load] = expected[load] + offset;
    }
    return level.means(prior);
  }

  /** Variance of one value of a level; that of all requests where there are few. */
  private double variance(Sums level) {
    double all = before.all().variance();
    double own = level.n() >= KNOWN ? level.variance() : all;
    return Math.max(own, rate ? .1 * all : .25 * all);
  }

  /** Variance of the relative move of a level between stretches of the reference, less sampling. */
  private double wandering(Level level, double[] means, double one) {
    double squares = 0;
    int seen = 0;
    for (MarginSums stretch : stretches) {
      Sums sums = stretch.of(level);
      if (sums.n() >= LEAST_REQUESTS) {
        double moved = sums.residual(means) - stretch.all().residual(expected);
        squares += moved * moved - one / sums.n();
        seen++;
      }
    }
    return wander(squares, seen);
  }

  private double wander(double squares, int seen) {
    double least = seen < FEWEST_STRETCHES ? .01 * before.all().variance() : 0;
    return Math.max(least, seen == 0 ? 0 : BURST_FACTOR * Math.max(0, squares / seen));
  }

  /** Other shares than usual of the levels of each covariate. */
  List<MarginExposure> exposures() {
    List<MarginExposure> exposures = new ArrayList<>();
    for (NarrowCovariate covariate : NarrowCovariate.all()) {
      Shares shares = new Shares(covariate);
      if (shares.comparable()) {
        double moved = shares.move(now);
        double ordinary = 0;
        for (MarginSums stretch : stretches) {
          double there = shares.move(stretch);
          ordinary += there * there;
        }
        double wandering = wander(ordinary, stretches.size());
        if (moved * moved > ORDINARY * ORDINARY * wandering && moved != 0) {
          double error = OFFSET_ERROR * moved;
          exposures.add(shares.exposure(moved, StrictMath.sqrt(wandering + error * error)));
        }
      }
    }
    return List.copyOf(exposures);
  }

  /** The levels of one covariate, what they usually hold and what a request in them usually has. */
  private final class Shares {
    private final NarrowCovariate covariate;
    private final List<Level> levels;
    private final double[] offset;
    private final double[] usual;
    private final double known;
    private final double needed;

    Shares(NarrowCovariate covariate) {
      this.covariate = covariate;
      SortedSet<Level> found = new TreeSet<>();
      for (MarginSums side : List.of(before, now)) {
        for (Level level : side.levels()) {
          boolean counts = !covariate.amongTouched() || covariate.touched(level.name());
          if (level.covariate().equals(covariate.label()) && counts) {
            found.add(level);
          }
        }
      }
      levels = List.copyOf(found);
      known = n(before);
      usual = new double[levels.size()];
      offset = new double[levels.size()];
      for (int k = 0; k < usual.length; k++) {
        usual[k] = known > 0 ? before.of(levels.get(k)).n() / known : 0;
        offset[k] = offset(levels.get(k));
      }
      needed = covariate.amongTouched() ? 0 : .5;
    }

    /**
     * Whether serving did something at all, and enough of both sides says which level it has:
     * unknown is no level.
     */
    boolean comparable() {
      return levels.size() > 1
          && levels.stream().anyMatch(level -> covariate.touched(level.name()))
          && known >= Math.max(KNOWN, needed * before.all().n())
          && n(now) >= Math.max(KNOWN, needed * now.all().n());
    }

    private double n(MarginSums side) {
      double n = 0;
      for (Level level : levels) {
        n += side.of(level).n();
      }
      return n;
    }

    /** From the reference, else from the window's own other requests. */
    private double offset(Level level) {
      Sums there = before.of(level);
      if (there.n() >= KNOWN) {
        return there.residual(expected);
      }
      Sums here = now.of(level);
      double rest = now.all().n() - here.n();
      if (here.n() < KNOWN || rest < KNOWN) {
        return 0;
      }
      double others = (common * now.all().n() - here.residual(expected) * here.n()) / rest;
      return here.residual(expected) - others;
    }

    /** How far the shares of a stretch, against the usual ones at like load, move the mean. */
    double move(MarginSums stretch) {
      double sum = 0;
      for (int k = 0; k < usual.length; k++) {
        sum += offset[k] * surplus(stretch, k);
      }
      return sum / stretch.all().n();
    }

    /** Requests of a level beyond the usual share at like load. */
    private double surplus(MarginSums stretch, int k) {
      double surplus = 0;
      for (int load = 0; load < loads; load++) {
        double there = 0;
        double here = 0;
        for (Level level : levels) {
          there += before.of(level).n(load);
          here += stretch.of(level).n(load);
        }
        double share =
            (before.of(levels.get(k)).n(load) + SHARE_WEIGHT * usual[k]) / (there + SHARE_WEIGHT);
        surplus += stretch.of(levels.get(k)).n(load) - here * share;
      }
      return surplus;
    }

    MarginExposure exposure(double moved, double sd) {
      double n = 0;
      double sum = 0;
      double variance = 0;
      for (Level level : now.levels()) {
        boolean other =
            level.covariate().equals(covariate.label()) && !covariate.touched(level.name());
        Sums here = now.of(level);
        Sums there = before.of(level);
        if (other && here.n() > 0 && there.n() >= LEAST_REQUESTS) {
          double one = variance(there);
          double part = one / here.n() + one / there.n();
          n += here.n();
          sum += here.n() * (here.residual(means(there)) - common);
          variance += here.n() * here.n() * part;
        }
      }
      return new MarginExposure(
          covariate.label(),
          grown(moved),
          covariate.exposure(),
          moved,
          sd,
          n,
          n > 0 ? sum / n : 0,
          n > 0 ? variance / (n * n) : 0,
          all());
    }

    /** The level that grew and moves the mean most in a direction. */
    String grown(double direction) {
      int best = 0;
      double most = Double.NEGATIVE_INFINITY;
      for (int k = 0; k < usual.length; k++) {
        double surplus = surplus(now, k);
        double moves = surplus * offset[k] * Math.signum(direction);
        double value = surplus > 0 ? moves : moves - Math.abs(moves) - 1e-300;
        if (value > most) {
          best = k;
          most = value;
        }
      }
      return levels.get(best).name();
    }
  }
}
