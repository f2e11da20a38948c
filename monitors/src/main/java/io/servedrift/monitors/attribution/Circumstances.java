package io.servedrift.monitors.attribution;

import java.util.Optional;

/**
 * What a window says beside its cells. Immutable.
 *
 * @param busier share of the window's requests at loads above all that the reference saw, where it
 *     is compared with the highest of them; 0 where such loads are a bucket of their own
 * @param grownByLoad of the requests in batches larger than the reference knows, the share at loads
 *     above all that it saw; 0 without such requests
 * @param node the node whose durations lie furthest from those of the others; empty when none does
 * @param unchanged requests whose batch stayed as it was; empty where no such thing is recorded or
 *     most requests are such ones
 */
record Circumstances(
    double busier,
    double grownByLoad,
    Optional<NodeContrast> node,
    Optional<UnchangedBatch> unchanged) {
  /** Nothing. */
  static final Circumstances NONE = new Circumstances(0, 0, Optional.empty(), Optional.empty());
}
