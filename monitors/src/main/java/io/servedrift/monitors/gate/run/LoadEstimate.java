package io.servedrift.monitors.gate.run;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many open-loop requests each side will be judged by at a load level, warm-ups left out.
 *
 * @param load multiple of the peak rate
 * @param leastRequests expected, were the peak found at what no batching gives
 * @param mostRequests expected, were it found at what perfect batching gives; equal to the least
 *     when the peak is known
 * @param measuredSeconds of all blocks, warm-ups left out
 */
public record LoadEstimate(
    double load, double leastRequests, double mostRequests, double measuredSeconds) {

  /** Whether the requests will be as many as a policy wants. */
  public enum Enough {
    YES,
    /** It depends on the peak that the run finds. */
    PERHAPS,
    NO
  }

  /**
   * One per level; none when nothing is known of the rate.
   *
   * @param peakPerSecond null when it is to be found in the run
   * @param oldSeconds of a request to the old side when it has nothing else to do
   */
  static List<LoadEstimate> of(
      RunOptions options, @Nullable Double peakPerSecond, double oldSeconds) {
    if (peakPerSecond == null && oldSeconds <= 0) {
      return List.of();
    }
    double measured = options.blocks() * options.block().minus(options.warmUp()).toMillis() / 1e3;
    double least = peakPerSecond == null ? PeakRate.OF_CAPACITY / oldSeconds : peakPerSecond;
    double most = peakPerSecond == null ? least * options.typicalConcurrency() : peakPerSecond;
    return options.loads().stream()
        .map(
            load ->
                new LoadEstimate(load, load * least * measured, load * most * measured, measured))
        .toList();
  }

  /**
   * Compares with what a policy wants.
   *
   * @param wanted requests per side and level
   */
  public Enough enough(long wanted) {
    if (leastRequests >= wanted) {
      return Enough.YES;
    }
    return mostRequests >= wanted ? Enough.PERHAPS : Enough.NO;
  }

  /** The peak rate, per second, at which there would be so many. */
  public double peakFor(long wanted) {
    return wanted / (load * measuredSeconds);
  }
}
