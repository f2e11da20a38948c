package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanDifference;
import io.servedrift.monitors.stats.Moments;
import io.servedrift.monitors.stats.ProportionDifference;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the requests of a cell were before and are now: plain means and their difference with its 95
 * % interval (Welch for values, Newcombe for ratios). Other than the verdict this does not compare
 * like with like: it is what a reader sees who cuts the traffic one way. Pure functions.
 */
final class Contrasts {
  /** Below this on one side a difference is not shown: its interval would promise too much. */
  static final int LEAST = 30;

  private static final double LEVEL = 0.95;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Contrasts() {}

  /** Cache by batch. */
  static ArrayNode heatMap(CellSlot baseline, CellSlot current, boolean ratio) {
    ArrayNode cells = JSON.arrayNode();
    for (CellSlot.Pair pair : union(baseline.pairs().keySet(), current.pairs().keySet())) {
      ObjectNode cell = cells.addObject().put("cache", pair.cache()).put("batch", pair.batch());
      contrast(
          cell,
          baseline.pairs().getOrDefault(pair, Moments.NONE),
          current.pairs().getOrDefault(pair, Moments.NONE),
          ratio);
    }
    return cells;
  }

  /**
   * Cache by batch for a tail: the share of requests beyond a limit.
   *
   * @param limit the last bin that does not count as beyond when {@code upper}, else the first
   */
  static ArrayNode heatMapBeyond(CellSlot baseline, CellSlot current, int limit, boolean upper) {
    ArrayNode cells = JSON.arrayNode();
    for (CellSlot.Pair pair : union(baseline.pairs().keySet(), current.pairs().keySet())) {
      ObjectNode cell = cells.addObject().put("cache", pair.cache()).put("batch", pair.batch());
      contrast(
          cell,
          beyond(baseline.pairBins().getOrDefault(pair, Bins.NONE), limit, upper),
          beyond(current.pairBins().getOrDefault(pair, Bins.NONE), limit, upper),
          true);
    }
    return cells;
  }

  private static Moments beyond(Bins bins, int limit, boolean upper) {
    long n = bins.n();
    if (n == 0) {
      return Moments.NONE;
    }
    long count =
        upper ? bins.count(limit + 1, Integer.MAX_VALUE) : bins.count(Integer.MIN_VALUE, limit - 1);
    double share = (double) count / n;
    return new Moments(n, share, n * share * (1 - share));
  }

  /** Every bucket of every covariate. */
  static ArrayNode byCovariate(CellSlot baseline, CellSlot current, boolean ratio) {
    ArrayNode buckets = JSON.arrayNode();
    for (String bucket : union(baseline.buckets().keySet(), current.buckets().keySet())) {
      int equals = bucket.indexOf('=');
      ObjectNode node =
          buckets
              .addObject()
              .put("covariate", bucket.substring(0, equals))
              .put("bucket", bucket.substring(equals + 1));
      contrast(
          node,
          baseline.buckets().getOrDefault(bucket, Moments.NONE),
          current.buckets().getOrDefault(bucket, Moments.NONE),
          ratio);
    }
    return buckets;
  }

  private static <T extends Comparable<T>> SortedSet<T> union(Set<T> first, Set<T> second) {
    SortedSet<T> all = new TreeSet<>(first);
    all.addAll(second);
    return all;
  }

  private static void contrast(ObjectNode into, Moments before, Moments now, boolean ratio) {
    side(into.putObject("baseline"), before);
    side(into.putObject("current"), now);
    boolean enough = before.n() >= LEAST && now.n() >= LEAST;
    into.put("state", enough ? "sufficient" : "insufficient");
    Numbers.put(into, "difference", enough ? now.mean() - before.mean() : null);
    Numbers.put(into, "interval", enough ? difference(before, now, ratio) : null);
  }

  private static Interval difference(Moments before, Moments now, boolean ratio) {
    return ratio
        ? ProportionDifference.newcombe(
            successes(now), now.n(), successes(before), before.n(), LEVEL)
        : MeanDifference.welch(now, before, LEVEL);
  }

  private static long successes(Moments ratio) {
    return Math.round(ratio.mean() * ratio.n());
  }

  private static void side(ObjectNode into, Moments moments) {
    into.put("n", moments.n());
    Numbers.put(into, "mean", moments.n() == 0 ? null : (Double) moments.mean());
  }
}
