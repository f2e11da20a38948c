package io.servedrift.serving.score;

import java.time.Duration;

/**
 * How much is scored beside generation, and what it may cost.
 *
 * @param deployment the scores' deployment
 * @param share of the requests that is scored, 0 to 1, see {@link RequestSampling}
 * @param maxWaiting most images waiting, at least 1
 * @param maxWaitingBytes most bytes of images waiting, at least 1
 * @param maxBatch most images scored together, at least 1
 * @param drainTimeout how long {@link AsyncScorer#close()} goes on scoring what waits
 */
public record AsyncScorerSettings(
    String deployment,
    double share,
    int maxWaiting,
    long maxWaitingBytes,
    int maxBatch,
    Duration drainTimeout) {

  /** Every request; 256 images or 64 MiB waiting, batches of 8, 10 s to drain. */
  public static AsyncScorerSettings defaults(String deployment) {
    return new AsyncScorerSettings(deployment, 1, 256, 64L << 20, 8, Duration.ofSeconds(10));
  }

  /** Checks the ranges. */
  public AsyncScorerSettings {
    requireAtLeastOne("maxWaiting", maxWaiting);
    requireAtLeastOne("maxWaitingBytes", maxWaitingBytes);
    requireAtLeastOne("maxBatch", maxBatch);
    if (drainTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "scorer drainTimeout=" + drainTimeout + ": must not be negative");
    }
  }

  /** The same with another share. */
  public AsyncScorerSettings withShare(double newShare) {
    return new AsyncScorerSettings(
        deployment, newShare, maxWaiting, maxWaitingBytes, maxBatch, drainTimeout);
  }

  private static void requireAtLeastOne(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("scorer " + name + "=" + value + ": must be at least 1");
    }
  }
}
