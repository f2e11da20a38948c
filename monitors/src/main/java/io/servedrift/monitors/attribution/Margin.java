package io.servedrift.monitors.attribution;

/**
 * One level of a covariate that cells are not crossed with: a node, a cache tier, whether the batch
 * changed on the way. Its shift is that of its own mean, less what the composition of all traffic
 * explains; nothing is known of which cells its requests lie in.
 *
 * @param covariate label in the catalogue, as in {@code where}
 * @param cause what a shift of this level alone is charged to: node, cache, batching or scheduling
 * @param referenceCount requests of the level in the reference
 * @param referenceSum sum of the metric over them
 * @param windowCount requests of the level in the window
 * @param windowSum sum of the metric over them
 */
public record Margin(
    String covariate,
    String level,
    Cause cause,
    double referenceCount,
    double referenceSum,
    double windowCount,
    double windowSum) {

  /** Checks the cause and the counts. */
  public Margin {
    if (!cause.serving()) {
      throw new IllegalArgumentException(
          "margin "
              + covariate
              + "="
              + level
              + " for cause "
              + cause.label()
              + ": must be cache, batching, scheduling or node");
    }
    if (!(referenceCount >= 0 && windowCount >= 0)) {
      throw new IllegalArgumentException(
          "margin "
              + covariate
              + "="
              + level
              + ": counts "
              + referenceCount
              + " and "
              + windowCount
              + ": must not be negative");
    }
  }
}
