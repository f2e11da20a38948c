package io.servedrift.monitors.baseline;

import java.util.ArrayList;
import java.util.List;

/** A slice of the traffic by what the serving layer did to a request. Slices overlap. */
public enum Stratum {
  ALL(0, "all"),
  HIT(1, "hit"),
  MISS(2, "miss"),
  BATCH_1(3, "batch 1"),
  BATCH_2_3(4, "batch 2-3"),
  BATCH_4_7(5, "batch 4-7"),
  BATCH_8_UP(6, "batch 8+"),
  PREEMPTED(7, "preempted"),
  HIT_BATCH_8_UP(8, "hit in batch 8+");

  private static final List<Stratum> LIST = List.of(values());

  private final int index;
  private final String label;

  Stratum(int index, String label) {
    this.index = index;
    this.label = label;
  }

  /** Position in tables, from 0. */
  public int index() {
    return index;
  }

  /** Name in findings and documents. */
  public String label() {
    return label;
  }

  /** Number of strata. */
  public static int count() {
    return LIST.size();
  }

  /** All strata, in the order of their index. */
  public static List<Stratum> all() {
    return LIST;
  }

  /** The stratum of an index. */
  public static Stratum at(int index) {
    return LIST.get(index);
  }

  /**
   * The strata a joint cell belongs to, by the bucket names of {@code pane.Covariate}; a bucket
   * {@code unknown} belongs to none but {@link #ALL}.
   */
  public static List<Stratum> of(String cache, String batch, String preempted) {
    List<Stratum> found = new ArrayList<>(5);
    found.add(ALL);
    switch (cache) {
      case "hit" -> found.add(HIT);
      case "miss" -> found.add(MISS);
      default -> {}
    }
    switch (batch) {
      case "1" -> found.add(BATCH_1);
      case "2-3" -> found.add(BATCH_2_3);
      case "4-7" -> found.add(BATCH_4_7);
      case "8-15", "16+" -> found.add(BATCH_8_UP);
      default -> {}
    }
    if (found.contains(HIT) && found.contains(BATCH_8_UP)) {
      found.add(HIT_BATCH_8_UP);
    }
    if (preempted.equals("yes")) {
      found.add(PREEMPTED);
    }
    return List.copyOf(found);
  }
}
