package io.servedrift.monitors.attribution;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The covariates that cells are not crossed with, and what a move of one of their levels is charged
 * to. A level in which serving did nothing ({@code stable}, {@code none}) is no place where it may
 * have gone wrong: what moves there moves everywhere.
 */
enum NarrowCovariate {
  NODE("node", Cause.NODE, Cause.NODE, Set.of()),
  CONDITIONING("conditioning", Cause.CACHE, Cause.CACHE, Set.of("miss", "bypass")),
  PREFIX_TIER("prefix_tier", Cause.CACHE, Cause.CACHE, Set.of("none")),
  DENOISE_SHARE("denoise_share", Cause.CACHE, Cause.CACHE, Set.of("0")),
  COMPOSITION("composition", Cause.BATCHING, Cause.BATCHING, Set.of("stable")),
  ADAPTERS("adapters", Cause.BATCHING, Cause.BATCHING, Set.of("none", "own")),
  QUEUE_SHARE("queue_share", Cause.SCHEDULING, Cause.SCHEDULING, Set.of("<5%")),
  STALLED("stalled", Cause.SCHEDULING, Cause.SCHEDULING, Set.of("no")),
  CONSTRAINED("constrained", Cause.UNEXPLAINED, Cause.TRAFFIC_MIX, Set.of("off"));

  private static final List<NarrowCovariate> ALL = List.of(values());

  private final String label;
  private final Cause effect;
  private final Cause exposure;

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
  private final Set<String> untouched;

  NarrowCovariate(String label, Cause effect, Cause exposure, Set<String> untouched) {
    this.label = label;
    this.effect = effect;
    this.exposure = exposure;
    this.untouched = untouched;
  }

  static List<NarrowCovariate> all() {
    return ALL;
  }

  /** The covariate of a label of the catalogue; empty when attribution makes nothing of it. */
  static Optional<NarrowCovariate> of(String label) {
    return ALL.stream().filter(c -> c.label.equals(label)).findFirst();
  }

  String label() {
    return label;
  }

  /** What a shift of one level alone is charged to. */
  Cause effect() {
    return effect;
  }

  /** What other shares of the levels are charged to. */
  Cause exposure() {
    return exposure;
  }

  /** Whether serving did something to the requests of a level. */
  boolean touched(String level) {
    return !level.equals(CellAxes.UNKNOWN) && !untouched.contains(level);
  }

  /**
   * Whether how long a request takes decides which level it has: the longer it runs, the more
   * others join it, and the more adapters it meets. A duration is not explained by that.
   */
  boolean followsDuration() {
    return this == COMPOSITION || this == ADAPTERS;
  }

  /** Whether its touched levels are looked at together, too: whether the batch changed at all. */
  boolean together() {
    return this == COMPOSITION;
  }

  /** Whether an axis of the cells has the same requests: whether the cache was hit. */
  boolean inCells() {
    return this == CONDITIONING || this == PREFIX_TIER;
  }

  /**
   * Whether other shares are looked at among touched requests only: whether a cache was hit at all
   * is an axis of the cells, and counted there.
   */
  boolean amongTouched() {
    return effect == Cause.CACHE;
  }
}
