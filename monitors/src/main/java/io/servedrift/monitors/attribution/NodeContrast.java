package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A node whose durations moved away from those of the other nodes, at the quantile where it shows
 * most. A slow node gathers larger batches and is the only one that gets so far into the tail; so
 * the cells of the tail name the batch, and at a quantile that all nodes reach the node stands out.
 * Immutable.
 *
 * @param node name of the node
 * @param quantile probability of the quantile
 * @param apart share of the node's requests beyond that quantile less that of the others, each
 *     against its own past at like load
 * @param sd standard deviation of {@code apart}
 * @param others how far that share of the others moved
 */
record NodeContrast(String node, double quantile, double apart, double sd, double others) {
  /** Rarer values come in clumps, of whole batches: a node has more of them by chance. */
  private static final double COMMON = .1 - 1e-9;

  /** Standard deviations from which a node is no chance among nodes and quantiles. */
  private static final double BEYOND_CHANCE = 6;

  /** Least move, in parts of what usually lies beyond the quantile. */
  private static final double LEAST_APART = .3;

  /** The others stayed when they moved by no more than this part of how far the node is apart. */
  private static final double MOST_OTHERS = .35;

  /**
   * The node that stands out most.
   *
   * @param reference beside a baseline of tails of durations
   * @param window its panes since the onset, cut by all views of the reference
   * @param stretches of the reference, as block ranges
   * @param alarm levels of the window at the quantile of the alarm, which the node has to account
   *     for: at another one nodes are apart for reasons of their own
   * @param direction of the alarm, -1 or 1: of the share beyond the quantile
   */
  static Optional<NodeContrast> of(
      ReferenceCubes reference,
      PaneTable window,
      List<int[]> stretches,
      MarginFeed alarm,
      int direction) {
    List<NodeContrast> found = new ArrayList<>();
    for (MetricView view : reference.views()) {
      double tail = reference.baseline().table().tail(view.level());
      if (tail < COMMON) {
        continue;
      }
      MarginFeed feed =
          new MarginFeed(reference, view, window, reference.columns(), view.level(), stretches);
      double n = feed.requests();
      for (Margin margin : feed.nodes()) {
        double rest = n - margin.requests();
        if (rest > 0) {
          double apart = margin.relative() * n / rest;
          double sd = StrictMath.sqrt(margin.variance()) * n / rest;
          double others = margin.all() - margin.relative() * margin.requests() / rest;
          if (apart * direction >= Math.max(LEAST_APART * tail, BEYOND_CHANCE * sd)
              && others * direction <= MOST_OTHERS * Math.abs(apart)
              && alarm.mostlyOf(margin.level(), direction)) {
            found.add(new NodeContrast(margin.level(), 1 - tail, apart, sd, others));
          }
        }
      }
    }
    NodeContrast best = null;
    for (NodeContrast one : found) {
      best = best == null || one.clarity() > best.clarity() ? one : best;
    }
    return Optional.ofNullable(best);
  }

  /** In words. */
  String text() {
    return "the share of requests beyond the p"
        + Wording.number(100 * quantile)
        + " moved by "
        + Wording.signed(apart)
        + " more with node="
        + node
        + " than with other nodes, where it moved by "
        + Wording.signed(others);
  }

  private double clarity() {
    return Math.abs(apart) / sd;
  }
}
