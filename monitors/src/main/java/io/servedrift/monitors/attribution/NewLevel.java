package io.servedrift.monitors.attribution;

/**
 * Preempted requests where the reference had hardly any: no cell of it says what to expect of them.
 * They are compared inside the window with those of the same class, cache state and batch that were
 * not preempted, so that neither what all requests share nor the cells they lie in matters.
 * Immutable.
 *
 * @param share of the window's requests that are preempted and have others to be compared with
 * @param apart how much further they moved than the others, in the unit of the metric
 * @param standardError of {@code apart}, by sampling in the window
 */
record NewLevel(double share, double apart, double standardError) {
  /** Nothing new. */
  static final NewLevel NONE = new NewLevel(0, 0, 0);

  /** Largest share in the reference of what hardly existed there. */
  private static final double MOST_BEFORE = .02;

  /** So many times as frequent it must have become. */
  private static final double LEAST_GROWTH = 4;

  /** Fewer others of a cell do not say what is usual there. */
  private static final double LEAST_OTHERS = 10;

  private static final double LEAST_REQUESTS = 30;

  /** Preempted requests; none when the reference knows as many. */
  static NewLevel preempted(
      CellCube reference, CellCube window, ReferenceMeans means, boolean rate) {
    int yes = window.axes().preemptions().indexOf(CellAxes.YES);
    int no = window.axes().preemptions().indexOf(CellAxes.NO);
    if (yes < 0 || no < 0 || !grew(share(reference, yes), share(window, yes))) {
      return NONE;
    }
    Grid grid = window.grid();
    double[] n = grid.marginal(window.counts(), Grid.WITHOUT_LOAD);
    double[] moved = grid.marginal(residuals(window, means), Grid.WITHOUT_LOAD);
    double mean = window.mean();
    double one = rate ? Math.max(mean * (1 - mean), means.variance()) : means.variance();
    int levels = grid.size(Grid.PREEMPTED);
    double compared = 0;
    double apart = 0;
    double spread = 0;
    for (int cell = 0; cell < n.length; cell += levels) {
      double here = n[cell + yes];
      double others = n[cell + no];
      if (here > 0 && others >= LEAST_OTHERS) {
        compared += here;
        apart += moved[cell + yes] - here * moved[cell + no] / others;
        spread += here * one + here * here * one / others;
      }
    }
    return compared < LEAST_REQUESTS
        ? NONE
        : new NewLevel(
            compared / window.requests(), apart / compared, StrictMath.sqrt(spread) / compared);
  }

  private static boolean grew(double before, double now) {
    return before <= MOST_BEFORE && now >= LEAST_GROWTH * before;
  }

  private static double share(CellCube cube, int level) {
    return cube.grid().marginal(cube.counts(), Grid.mask(Grid.PREEMPTED))[level] / cube.requests();
  }

  private static double[] residuals(CellCube window, ReferenceMeans means) {
    double[] counts = window.counts();
    double[] residuals = window.sums();
    for (int cell = 0; cell < residuals.length; cell++) {
      residuals[cell] -= counts[cell] * means.mean(cell);
    }
    return residuals;
  }

  /** Contribution to the mean of all requests. */
  double moved() {
    return share * apart;
  }

  /** Standard error of the contribution. */
  double sd() {
    return share * standardError;
  }
}
