package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A covariate that cells are not crossed with and that accounts for the shift of like requests: one
 * of its levels moved, or more requests fall into it, and the others stayed. Nothing is known of
 * the cells its requests lie in, so it takes the same part of every cell's shift.
 *
 * @param part of the shift of like requests that it accounts for, above 0, at most 1
 * @param sd of its contribution, in the unit of the metric
 * @param moved contribution to the mean of all requests
 * @param left how far the other requests moved, relative to all; 0 beside a single node, where they
 *     moved the other way
 * @param others how far the other requests moved, in the unit of the metric
 * @param contrast where it is seen at another quantile than the one that alarmed; null where not
 */
record NarrowMove(
    String covariate,
    String level,
    Cause cause,
    Mechanism mechanism,
    double part,
    double sd,
    double moved,
    double left,
    double others,
    @Nullable NodeContrast contrast) {
  private static final double LEAST_OTHERS = 100;

  /** Of those that a level leaves, whose error is known, fewer will do. */
  private static final double LEAST_REST = 30;

  /** Least part of the shift. */
  private static final double LEAST_PART = .5;

  /** The others stayed when they moved by no more than this part of the whole. */
  private static final double MOST_LEFT = .35;

  private static final double MOST_ERROR = .25;

  /** A level of this share is told by the few others. */
  private static final double MAJORITY = .75;

  /** Few others stayed when they are surely apart from the whole and nearer to none of its move. */
  private static final double FEW_LEFT = .5;

  private static final double FEW_APART = 3.5;

  /** Standard errors from which a difference between requests of one window is no noise. */
  private static final double BEYOND_NOISE = 3;

  /** By so much less than outside any set of cells the others must have moved. */
  private static final double CLEARLY = .05;

  /** A set that nearly all requests are in is not a place. */
  private static final double LEAST_OUTSIDE = .1;

  /** A level this much smaller than the set of cells says more about the same cause. */
  private static final double NARROWER = .8;

  /** The rest of the set stayed when it moved by no more than this part of the level's move. */
  private static final double MOST_REST = .5;

  /**
   * The one that leaves the least to other requests; null when there is none, or a set of cells
   * says it as well.
   */
  static @Nullable NarrowMove of(
      AttributionInput input, ResidualCells like, NewLevel preempted, double within) {
    NarrowMove best = null;
    List<CellSet> sets = sets(like, input.window().axes(), within);
    CellSet cells = sets.stream().min(Comparator.comparingDouble(CellSet::left)).orElseThrow();
    double n = input.window().requests();
    for (Margin margin : input.margins()) {
      if (inCells(margin) && sets.stream().anyMatch(set -> set.hits(margin.requests()))) {
        // Cells tell hits from the batches that they ran in, and a margin cannot.
        continue;
      }
      if (input.changes().model() && margin.requests() > MAJORITY * n) {
        // The few without it are of other classes than all, and another model moves each its way.
        continue;
      }
      NarrowMove found = effect(margin, n, base(margin.all(), within), onlyNode(margin, input));
      boolean refines =
          found != null
              && margin.cause() == cells.cause()
              && cells.narrowedBy(margin.requests(), found.moved() * n);
      double leftByCells = refines ? Double.POSITIVE_INFINITY : cells.left();
      best = better(best, found, margin.joint(), leftByCells);
    }
    for (MarginExposure exposure : input.exposures()) {
      best = better(best, exposure(exposure, base(exposure.all(), within)), false, cells.left());
    }
    NarrowMove found = preempted(best, preempted, within);
    return found == null
        ? input.circumstances().node().map(contrast -> node(contrast, within)).orElse(null)
        : found;
  }

  /**
   * Preempted requests that are new and moved by more than noise and by at least half of the shift.
   * Whatever else moved moved with all: these are compared inside their cells.
   */
  private static @Nullable NarrowMove preempted(
      @Nullable NarrowMove best, NewLevel level, double within) {
    double moved = level.moved();
    boolean accounts = moved / within >= LEAST_PART && Math.abs(moved) > BEYOND_NOISE * level.sd();
    double others = within - moved;
    double left = Math.abs(others / within);
    if (!accounts || (best != null && best.left() < left)) {
      return best;
    }
    return new NarrowMove(
        "preempted",
        CellAxes.YES,
        Cause.SCHEDULING,
        Mechanism.EFFECT,
        Math.min(1, moved / within),
        level.sd(),
        moved,
        left,
        others,
        null);
  }

  /**
   * A node that stands out at a quantile that all nodes reach. Batches do not compete with it: a
   * node that slows gathers larger ones.
   */
  private static NarrowMove node(NodeContrast contrast, double within) {
    return new NarrowMove(
        NarrowCovariate.NODE.label(),
        contrast.node(),
        Cause.NODE,
        Mechanism.EFFECT,
        1,
        Math.abs(within * contrast.sd() / contrast.apart()),
        within,
        Math.max(0, contrast.others() / contrast.apart()),
        contrast.others(),
        contrast);
  }

  /** What the move of a level is a part of. */
  private static double base(double all, double within) {
    return Double.isNaN(all) ? within : all;
  }

  private static @Nullable NarrowMove better(
      @Nullable NarrowMove best, @Nullable NarrowMove other, boolean joint, double leftByCells) {
    if (other == null || other.left() + CLEARLY > leftByCells) {
      return best;
    }
    // Of one covariate the single level, unless several together leave clearly less.
    boolean together = joint && best != null && best.covariate().equals(other.covariate());
    double less = together ? CLEARLY : 0;
    return best == null || other.left() + less < best.left() ? other : best;
  }

  private static boolean inCells(Margin margin) {
    return NarrowCovariate.of(margin.covariate()).filter(NarrowCovariate::inCells).isPresent();
  }

  /** Whether it is a node and no other one moved half as far the same way, relative to all. */
  private static boolean onlyNode(Margin margin, AttributionInput input) {
    double most = LEAST_PART * Math.abs(margin.relative());
    return margin.cause() == Cause.NODE
        && input.margins().stream()
            .filter(other -> other.cause() == Cause.NODE && !other.level().equals(margin.level()))
            .noneMatch(other -> other.relative() * Math.signum(margin.relative()) > most);
  }

  private static @Nullable NarrowMove effect(
      Margin margin, double n, double within, boolean onlyNode) {
    double share = margin.requests() / n;
    if (share >= 1 || n - margin.requests() < LEAST_REST) {
      return null;
    }
    double moved = share * (margin.relative() + within);
    double others = (within - moved) / (1 - share);
    double error = share * StrictMath.sqrt(margin.variance());
    return of(
        margin.covariate(),
        margin.level(),
        margin.cause(),
        Mechanism.EFFECT,
        moved,
        error,
        others,
        error / (1 - share),
        share > MAJORITY,
        within,
        onlyNode);
  }

  private static @Nullable NarrowMove exposure(MarginExposure exposure, double within) {
    return exposure.others() < LEAST_OTHERS
        ? null
        : of(
            exposure.covariate(),
            exposure.level(),
            exposure.cause(),
            Mechanism.EXPOSURE,
            exposure.expected(),
            exposure.sd(),
            exposure.othersRelative() + within,
            StrictMath.sqrt(exposure.othersVariance()),
            false,
            within,
            false);
  }

  private static @Nullable NarrowMove of(
      String covariate,
      String level,
      Cause cause,
      Mechanism mechanism,
      double moved,
      double sd,
      double others,
      double othersError,
      boolean few,
      double within,
      boolean onlyNode) {
    // Other nodes that moved the other way leave nothing of the alarm to explain.
    double left = onlyNode && others / within < 0 ? 0 : Math.abs(others / within);
    double error = othersError / Math.abs(within);
    boolean stayed =
        few ? left <= FEW_LEFT && 1 - others / within >= FEW_APART * error : left <= MOST_LEFT;
    boolean accounts = moved / within >= LEAST_PART && stayed && error <= MOST_ERROR;
    return accounts
        ? new NarrowMove(
            covariate,
            level,
            cause,
            mechanism,
            Math.min(1, moved / within),
            sd,
            moved,
            left,
            others,
            null)
        : null;
  }

  /** A set of cells: how far the requests outside it moved, relative to all. */
  private record CellSet(Cause cause, double left, double requests, double moved) {
    /** Whether these are the hits, and a level of so many requests is nearly all of them. */
    boolean hits(double levelRequests) {
      return cause == Cause.CACHE
          && levelRequests > NARROWER * requests
          && levelRequests * NARROWER < requests;
    }

    /**
     * Whether a level of the same cause says more: it is smaller, and the rest of the set moved
     * clearly less per request. Else the set names the same requests by what all know.
     */
    boolean narrowedBy(double levelRequests, double levelMoved) {
      if (levelRequests > NARROWER * requests) {
        return false;
      }
      double rest = (moved - levelMoved) / (requests - levelRequests);
      return rest / (levelMoved / levelRequests) <= MOST_REST;
    }
  }

  private static List<CellSet> sets(ResidualCells like, CellAxes axes, double within) {
    int hit = axes.caches().indexOf(CellAxes.HIT);
    int yes = axes.preemptions().indexOf(CellAxes.YES);
    List<CellSet> sets = new ArrayList<>();
    sets.add(cells(like, Cause.CACHE, row -> like.level(Grid.CACHE, row) == hit, within));
    sets.add(cells(like, Cause.SCHEDULING, row -> like.level(Grid.PREEMPTED, row) == yes, within));
    int[] smallest = axes.batches().stream().mapToInt(CellAxes::smallestBatch).toArray();
    for (int cut : axes.batchCuts()) {
      sets.add(
          cells(like, Cause.BATCHING, row -> smallest[like.level(Grid.BATCH, row)] >= cut, within));
    }
    return sets;
  }

  private static CellSet cells(
      ResidualCells like, Cause cause, IntPredicate member, double within) {
    boolean[] others = new boolean[like.rows()];
    for (int row = 0; row < others.length; row++) {
      others[row] = !member.test(row);
    }
    ResidualCells.Estimate moved = like.estimate(others);
    boolean proper =
        moved.n() >= Math.max(LEAST_OTHERS, LEAST_OUTSIDE * like.requests())
            && moved.n() < like.requests();
    double left = proper ? Math.abs(moved.mean() / within) : Double.POSITIVE_INFINITY;
    double sum = 0;
    for (int row = 0; row < others.length; row++) {
      sum += others[row] ? 0 : like.count(row) * like.mean(row);
    }
    return new CellSet(cause, left, like.requests() - moved.n(), sum);
  }
}
