package io.servedrift.monitors.attribution;

/**
 * One level of a covariate that cells are not crossed with: a node, a cache tier, whether the batch
 * changed on the way. Nothing is known of which cells its requests lie in, so its move is taken
 * relative to that of all requests at like load; what all requests share is added from the cells.
 *
 * @param covariate label in the catalogue, as in {@code where}
 * @param cause what a shift of this level alone is charged to: node, cache, batching, scheduling,
 *     or unexplained for what the user asked for
 * @param requests requests of the level in the window
 * @param relative how much further their mean moved than that of all requests, in the unit of the
 *     metric
 * @param variance of {@code relative}: sampling on both sides, and how far it wanders when nothing
 *     is wrong
 * @param joint whether it is several levels together
 * @param all how far all requests moved at like load, where margins are looked at by another
 *     threshold than cells; NaN where not: then the cells say it
 */
public record Margin(
    String covariate,
    String level,
    Cause cause,
    double requests,
    double relative,
    double variance,
    boolean joint,
    double all) {

  /** A margin of one level, in the same view as the cells. */
  public Margin(
      String covariate,
      String level,
      Cause cause,
      double requests,
      double relative,
      double variance) {
    this(covariate, level, cause, requests, relative, variance, false, Double.NaN);
  }

  /** Checks the cause and the numbers. */
  public Margin {
    if (!cause.serving() && cause != Cause.UNEXPLAINED) {
      throw new IllegalArgumentException(
          "margin "
              + covariate
              + "="
              + level
              + " for cause "
              + cause.label()
              + ": must be cache, batching, scheduling, node or unexplained");
    }
    if (!(requests >= 0 && variance > 0)) {
      throw new IllegalArgumentException(
          "margin "
              + covariate
              + "="
              + level
              + ": requests="
              + requests
              + " variance="
              + variance
              + ": requests must not be negative, the variance above 0");
    }
  }
}
