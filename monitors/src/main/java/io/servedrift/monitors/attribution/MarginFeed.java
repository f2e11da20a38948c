package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.MarginSums.Sums;
import io.servedrift.monitors.attribution.PaneTable.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

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

  /** A level that most requests have is told from the rest more surely than from all requests. */
  private static final double MAJORITY = .75;

  /** A covariate that changed for more than this share of the requests changed for most. */
  private static final double MOSTLY = .5;

  /** Of so many requests the level must be known. */
  private static final double KNOWN_SHARE = .95;

  /** Of the share of all requests beyond a threshold, so much at least of those compared with. */
  private static final double LEAST_TAIL = .5;

  /** Standard errors by which they may have come out lower. */
  private static final double CHANCE = 2;

  /** Between the names of levels that are taken together. */
  private static final String EITHER = "|";

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
  private final boolean duration;
  private final int loads;
  private final double[] expected;
  private final double common;

  /**
   * Prepares.
   *
   * @param view how the values are looked at, one of the reference's
   * @param columns of the window
   * @param column of the view among them
   */
  MarginFeed(
      ReferenceCubes reference,
      MetricView view,
      PaneTable window,
      PaneTable.Columns columns,
      int column,
      List<int[]> stretches) {
    loads = reference.keys().loads().size();
    rate = view.rate();
    tail = view.level() >= 0;
    duration = view.duration();
    PaneTable table = reference.table();
    int index = reference.views().indexOf(view);
    before = new MarginSums(table, reference.columns(), index, loads, 0, table.blocks());
    now = new MarginSums(window, columns, column, loads, 0, window.blocks());
    this.stretches =
        stretches.stream()
            .map(s -> new MarginSums(table, reference.columns(), index, loads, s[0], s[1]))
            .toList();
    double[] overall = new double[loads];
    Arrays.fill(overall, before.all().sum() / before.all().n());
    expected = before.all().means(overall);
    common = now.all().residual(expected);
  }

  /** Levels whose requests can have moved on their own, alone or together. */
  List<Margin> margins() {
    List<Margin> margins = new ArrayList<>();
    for (NarrowCovariate covariate : NarrowCovariate.all()) {
      List<Level> touched = touched(covariate);
      for (Level level : touched) {
        if (now.of(level).n() <= MAJORITY * now.all().n()) {
          margins.add(alone(covariate, level));
        } else {
          byRest(covariate, List.of(level)).ifPresent(margins::add);
        }
      }
      if (covariate.together() && touched.size() > 1) {
        byRest(covariate, touched).ifPresent(margins::add);
      }
    }
    return List.copyOf(margins);
  }

  /** Nodes against all requests. */
  List<Margin> nodes() {
    return touched(NarrowCovariate.NODE).stream()
        .map(level -> alone(NarrowCovariate.NODE, level))
        .toList();
  }

  /**
   * Whether a node's requests make at least half of what all requests moved by; true where all did
   * not move by more than chance, which says nothing about a node.
   *
   * @param direction of the alarm, -1 or 1
   */
  boolean mostlyOf(String node, int direction) {
    double usual = before.all().sum() / before.all().n();
    double noise = StrictMath.sqrt(Math.max(0, usual * (1 - usual)) / now.all().n());
    if (common * direction <= ORDINARY * noise) {
      return true;
    }
    for (Level level : touched(NarrowCovariate.NODE)) {
      if (level.name().equals(node)) {
        Sums here = now.of(level);
        double own = here.n() / now.all().n() * here.residual(means(before.of(level)));
        return own * direction >= MOSTLY * common * direction;
      }
    }
    return false;
  }

  /** Requests of the window. */
  double requests() {
    return now.all().n();
  }

  /**
   * Requests whose batch stayed as it was, where it changed for most; empty for a duration, which
   * decides itself who is joined.
   */
  Optional<UnchangedBatch> unchanged() {
    NarrowCovariate covariate = NarrowCovariate.COMPOSITION;
    double touched = touched(covariate).stream().mapToDouble(level -> now.of(level).n()).sum();
    if (!applies(covariate) || touched <= MOSTLY * now.all().n()) {
      return Optional.empty();
    }
    Rest rest = new Rest(covariate, level -> !covariate.touched(level), now);
    double variance = rest.variance() + wandering(covariate, level -> !covariate.touched(level));
    return Optional.of(
        new UnchangedBatch(
            tail && rest.n > 0 && rest.farFromTail() ? 0 : rest.n,
            rest.relative(),
            StrictMath.sqrt(variance),
            all()));
  }

  /** Levels in which serving did something to enough requests of both sides. */
  private List<Level> touched(NarrowCovariate covariate) {
    List<Level> found = new ArrayList<>();
    for (Level level : now.levels()) {
      if (applies(covariate)
          && level.covariate().equals(covariate.label())
          && covariate.touched(level.name())
          && now.of(level).n() >= LEAST_REQUESTS
          && before.of(level).n() >= LEAST_REQUESTS) {
        found.add(level);
      }
    }
    return found;
  }

  private Margin alone(NarrowCovariate covariate, Level level) {
    Sums here = now.of(level);
    Sums there = before.of(level);
    double[] means = means(there);
    double one = variance(there);
    double variance = one / here.n() + one / there.n() + wandering(level, means, one);
    return margin(covariate, List.of(level), here.n(), here.residual(means) - common, variance);
  }

  private boolean applies(NarrowCovariate covariate) {
    return !(duration && covariate.followsDuration());
  }

  private Margin margin(
      NarrowCovariate covariate, List<Level> levels, double n, double relative, double variance) {
    return new Margin(
        covariate.label(),
        String.join(EITHER, levels.stream().map(Level::name).toList()),
        covariate.effect(),
        n,
        relative,
        Math.max(variance, Double.MIN_NORMAL),
        levels.size() > 1,
        all());
  }

  /**
   * Levels that most requests may have: they moved by what the requests of all other levels did
   * not. Empty when there are too few of those, or many of which nothing is known.
   */
  private Optional<Margin> byRest(NarrowCovariate covariate, List<Level> levels) {
    Predicate<String> others = other -> levels.stream().noneMatch(l -> l.name().equals(other));
    Rest rest = new Rest(covariate, others, now);
    double here = levels.stream().mapToDouble(level -> now.of(level).n()).sum();
    boolean known = here + rest.n >= KNOWN_SHARE * now.all().n();
    if (rest.n < LEAST_REQUESTS || !known || (tail && rest.farFromTail())) {
      return Optional.empty();
    }
    double ratio = rest.n / here;
    double variance = rest.varianceHadTheyMoved() + wandering(covariate, others);
    return Optional.of(
        margin(covariate, levels, here, -ratio * rest.relative(), ratio * ratio * variance));
  }

  /** The same for what other requests did, as {@link #wandering(Level, double[], double)}. */
  private double wandering(NarrowCovariate covariate, Predicate<String> others) {
    double squares = 0;
    int seen = 0;
    for (MarginSums stretch : stretches) {
      Rest rest = new Rest(covariate, others, stretch);
      if (rest.n >= LEAST_REQUESTS) {
        squares += rest.relative() * rest.relative() - rest.sampling();
        seen++;
      }
    }
    return wander(squares, seen);
  }

  /** Requests of one side with some levels of a covariate, against such ones before. */
  private final class Rest {
    private double n;
    private double sum;
    private double squares;
    private double moved;
    private double own;
    private double usual;
    private double known;
    private double beyond;

    Rest(NarrowCovariate covariate, Predicate<String> member, MarginSums side) {
      double shared = side.all().residual(expected);
      for (Level level : now.levels()) {
        boolean belongs =
            level.covariate().equals(covariate.label())
                && member.test(level.name())
                && !level.name().equals(CellAxes.UNKNOWN);
        Sums here = side.of(level);
        Sums there = before.of(level);
        if (belongs && here.n() > 0 && there.n() >= LEAST_REQUESTS) {
          double one = MarginFeed.this.variance(there);
          n += here.n();
          usual += here.n() * there.sum() / there.n();
          known += there.n();
          beyond += there.sum();
          sum += here.n() * (here.residual(means(there)) - shared);
          own += here.n() * one;
          squares += here.n() * here.n() * (one / here.n() + one / there.n());
          moved +=
              here.n() * here.n() * (hadItMoved(one, there, shared) / here.n() + one / there.n());
        }
      }
    }

    /** How much further they moved than all requests. */
    double relative() {
      return n > 0 ? sum / n : 0;
    }

    /**
     * Whether their values lie so far from the threshold that they may move and not pass it: surely
     * fewer of them than of all are usually beyond.
     */
    boolean farFromTail() {
      double chance = CHANCE * StrictMath.sqrt(beyond + 1) / known;
      return usual / n + chance < LEAST_TAIL * before.all().sum() / before.all().n();
    }

    double variance() {
      return n > 0 ? squares / (n * n) : 0;
    }

    /**
     * The same had they moved as all did. A rate that rose has the variance of where it rose to: of
     * a few dozen requests none beyond a rare threshold is what chance gives, even if ten times as
     * many of them as before ought to be there.
     */
    double varianceHadTheyMoved() {
      return n > 0 ? moved / (n * n) : 0;
    }

    private double hadItMoved(double one, Sums there, double shared) {
      double p = Math.max(0, Math.min(1, there.sum() / there.n() + shared));
      return rate ? Math.max(one, p * (1 - p)) : one;
    }

    /** The part of it that these requests' own sampling makes. */
    double sampling() {
      return n > 0 ? own / (n * n) : 0;
    }
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
      if (applies(covariate) && shares.comparable()) {
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
      Rest rest = new Rest(covariate, other -> !covariate.touched(other), now);
      return new MarginExposure(
          covariate.label(),
          grown(moved),
          covariate.exposure(),
          moved,
          sd,
          rest.n,
          rest.relative(),
          rest.variance(),
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
