package io.servedrift.monitors.gate.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * Which block of the production arms runs at which concurrency: shares by largest remainder, every
 * level once at least, spread over the run. Stateless.
 */
final class BlockLevels {
  private BlockLevels() {}

  /** How many different levels there are. */
  static int distinct(List<Integer> levels) {
    return (int) levels.stream().distinct().count();
  }

  /**
   * The level of each block.
   *
   * @param levels each as often as its share says, not empty
   * @param blocks when there are fewer than levels, those of the largest shares are run
   */
  static List<Integer> of(List<Integer> levels, int blocks) {
    int[] level = levels.stream().mapToInt(k -> k).distinct().toArray();
    int[] share =
        IntStream.of(level).map(k -> (int) levels.stream().filter(l -> l == k).count()).toArray();
    int[] given = new int[level.length];
    for (int i = 0; i < blocks; i++) {
      // First each once, the largest share first; then the one that lacks most of its share.
      given[
          most(
              level.length,
              k ->
                  given[k] == 0
                      ? Long.MAX_VALUE - levels.size() + share[k]
                      : (long) share[k] * blocks - (long) levels.size() * given[k])]++;
    }
    List<Integer> order = new ArrayList<>();
    int[] used = new int[level.length];
    for (int i = 1; i <= blocks; i++) {
      int so = i;
      // The one that is furthest behind its share of the blocks so far.
      int next =
          most(
              level.length,
              k ->
                  used[k] == given[k]
                      ? Long.MIN_VALUE
                      : (long) given[k] * so - (long) blocks * used[k]);
      used[next]++;
      order.add(level[next]);
    }
    return order;
  }

  /** The index with the largest value, the first of equals. */
  private static int most(int n, IntToLongFunction value) {
    int best = 0;
    for (int i = 1; i < n; i++) {
      if (value.applyAsLong(i) > value.applyAsLong(best)) {
        best = i;
      }
    }
    return best;
  }
}
