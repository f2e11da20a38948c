package io.servedrift.monitors.attribution;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The levels of the cell cube. Levels are the buckets of the covariate catalogue ({@code hit},
 * {@code 8-15}, {@code yes}); {@code unknown} is a level like another and never read as its
 * opposite. Immutable.
 *
 * @param loads number of load buckets, from low to high load
 * @param classes exogenous classes of requests: prompt class, workload or both
 * @param caches cache states
 * @param batches batch buckets: {@code 1}, {@code 2-3}, {@code 16+}, {@code unknown}
 * @param preemptions {@code no}, {@code yes}, {@code unknown}
 * @param nodes nodes, or one name for all when cells are not crossed with nodes
 */
public record CellAxes(
    int loads,
    List<String> classes,
    List<String> caches,
    List<String> batches,
    List<String> preemptions,
    List<String> nodes) {

  static final String HIT = "hit";
  static final String MISS = "miss";
  static final String YES = "yes";
  static final String NO = "no";
  static final String UNKNOWN = "unknown";

  /** The largest batch that belongs to the clean path. */
  static final int CLEAN_BATCH = 3;

  /** Checks that each axis has levels, each once. */
  public CellAxes {
    if (loads < 1) {
      throw new IllegalArgumentException("loads=" + loads + ": must be at least 1");
    }
    classes = levels("classes", classes);
    caches = levels("caches", caches);
    batches = levels("batches", batches);
    preemptions = levels("preemptions", preemptions);
    nodes = levels("nodes", nodes);
    batches.forEach(CellAxes::smallestBatch);
  }

  private static List<String> levels(String axis, List<String> levels) {
    if (levels.isEmpty() || new LinkedHashSet<>(levels).size() != levels.size()) {
      throw new IllegalArgumentException(
          axis + "=" + levels + ": must have at least one level, each once");
    }
    return List.copyOf(levels);
  }

  Grid grid() {
    return new Grid(loads, classes.size(), caches.size(), batches.size(), preemptions.size());
  }

  /** Levels of an axis of the grid other than load. */
  List<String> levels(int axis) {
    return switch (axis) {
      case Grid.CLASS -> classes;
      case Grid.CACHE -> caches;
      case Grid.BATCH -> batches;
      case Grid.PREEMPTED -> preemptions;
      default -> throw new IllegalArgumentException("axis=" + axis + ": must be 1..4");
    };
  }

  /** Same axes, cells not crossed with nodes. */
  CellAxes withoutNodes() {
    return new CellAxes(loads, classes, caches, batches, preemptions, List.of("*"));
  }

  /** Smallest batch of each bucket above the smallest one, ascending: where batches can be cut. */
  SortedSet<Integer> batchCuts() {
    TreeSet<Integer> cuts = new TreeSet<>();
    for (String batch : batches) {
      cuts.add(smallestBatch(batch));
    }
    cuts.remove(0);
    if (!cuts.isEmpty()) {
      cuts.remove(cuts.first());
    }
    return cuts;
  }

  /** Smallest size in a bucket, 0 for {@code unknown}. */
  static int smallestBatch(String bucket) {
    if (bucket.equals(UNKNOWN)) {
      return 0;
    }
    int end = 0;
    while (end < bucket.length() && Character.isDigit(bucket.charAt(end))) {
      end++;
    }
    if (end == 0) {
      throw new IllegalArgumentException(
          "batch bucket " + bucket + ": must begin with its smallest size, or be unknown");
    }
    return Integer.parseInt(bucket.substring(0, end));
  }

  /** Whether an axis says anything: a runtime without a cache reports no cache state. */
  boolean known(int axis) {
    return levels(axis).stream().anyMatch(level -> !level.equals(UNKNOWN));
  }

  /**
   * Whether a cache state or preemption belongs to the clean path: miss, not preempted. On an axis
   * that says nothing every level does.
   */
  boolean clean(int axis, int level) {
    return !known(axis) || levels(axis).get(level).equals(axis == Grid.CACHE ? MISS : NO);
  }

  /**
   * Whether the smallest batch of a level lies in a range. Where nothing is said of batches every
   * level does.
   */
  boolean batchWithin(int level, int smallest, int largest) {
    String name = batches.get(level);
    int batch = smallestBatch(name);
    return !known(Grid.BATCH) || (!name.equals(UNKNOWN) && batch >= smallest && batch <= largest);
  }
}
