package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.TrafficClasses;
import java.util.List;

/**
 * Numbers cells by load bucket, traffic class and the buckets of the catalogue; a bucket that is in
 * no list is unknown. Immutable but for the grid's lazily kept projections; not thread-safe.
 */
final class CellKeys {
  /** Class of what the reference never saw. */
  static final String NEW = "new";

  private static final List<String> CACHES = List.of(CellAxes.MISS, CellAxes.HIT, CellAxes.UNKNOWN);
  private static final List<String> BATCHES =
      List.of("1", "2-3", "4-7", "8-15", "16+", CellAxes.UNKNOWN);
  private static final List<String> PREEMPTIONS =
      List.of(CellAxes.NO, CellAxes.YES, CellAxes.UNKNOWN);

  private final LoadBuckets loads;
  private final TrafficClasses classes;
  private final Grid grid;

  CellKeys(LoadBuckets loads, TrafficClasses classes) {
    this.loads = loads;
    this.classes = classes;
    grid =
        new Grid(
            loads.size(), classes.size() + 1, CACHES.size(), BATCHES.size(), PREEMPTIONS.size());
  }

  LoadBuckets loads() {
    return loads;
  }

  Grid grid() {
    return grid;
  }

  /** Index of a class; the number of known classes for one that the reference never saw. */
  int group(String trafficClass) {
    return classes.indexOf(trafficClass).orElse(classes.size());
  }

  int of(int load, int group, String cache, String batch, String preempted) {
    return grid.index(
        load, group, index(CACHES, cache), index(BATCHES, batch), index(PREEMPTIONS, preempted));
  }

  private static int index(List<String> buckets, String bucket) {
    int at = buckets.indexOf(bucket);
    return at < 0 ? buckets.indexOf(CellAxes.UNKNOWN) : at;
  }

  /** Name of a level of an axis other than load. */
  String name(int axis, int level) {
    return switch (axis) {
      case Grid.CLASS -> level < classes.size() ? classes.name(level) : NEW;
      case Grid.CACHE -> CACHES.get(level);
      case Grid.BATCH -> BATCHES.get(level);
      case Grid.PREEMPTED -> PREEMPTIONS.get(level);
      default -> throw new IllegalArgumentException("axis=" + axis + ": must be 1..4");
    };
  }
}
