package io.servedrift.monitors.policy;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * When traffic is known well enough to be compared with. Immutable.
 *
 * @param leastDuration from which a provisional baseline exists, together with {@code
 *     leastRequests}
 * @param leastRequests the same in requests
 * @param fullDuration at which a baseline is complete and stops growing; at least {@code
 *     leastDuration}
 * @param pinned time ranges that count as normal by decision, in a fixed order
 */
public record BaselinePolicy(
    Duration leastDuration, long leastRequests, Duration fullDuration, List<PinnedRange> pinned) {

  private static final Comparator<PinnedRange> ORDER =
      Comparator.comparing(PinnedRange::deployment)
          .thenComparing(range -> range.configId().orElse(""))
          .thenComparing(range -> range.modelId().orElse(""));

  /** Sorts the ranges, whose order means nothing. */
  public BaselinePolicy {
    pinned = pinned.stream().sorted(ORDER).toList();
  }

  /**
   * The range pinned for a series: of those that name its configuration the one for its model, else
   * the one for any model; else of those for every configuration in the same way.
   *
   * @param configId {@code *} for the deployment-wide series
   */
  public Optional<PinnedRange> pinned(String deployment, String configId, String modelId) {
    List<PinnedRange> ranges =
        pinned.stream()
            .filter(range -> range.deployment().equals(deployment))
            .filter(range -> range.configId().isEmpty() || range.configId().get().equals(configId))
            .filter(range -> range.modelId().isEmpty() || range.modelId().get().equals(modelId))
            .toList();
    // Sorted, so what is for any configuration or any model comes first.
    return ranges.isEmpty() ? Optional.empty() : Optional.of(ranges.get(ranges.size() - 1));
  }
}
