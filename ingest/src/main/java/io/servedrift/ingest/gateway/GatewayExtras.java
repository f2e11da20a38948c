package io.servedrift.ingest.gateway;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway does beside passing and measuring.
 *
 * @param scorer where images are scored; null: nowhere
 * @param canaries prompts to ask again and again; null: none
 * @param canaryEvery pause between two canary prompts, a second to a day
 */
public record GatewayExtras(
    @Nullable ScorerSettings scorer, @Nullable CanaryPrompts canaries, Duration canaryEvery) {

  /** Nothing. */
  public static final GatewayExtras NONE = new GatewayExtras(null, null, Duration.ofMinutes(1));

  public GatewayExtras {
    if (canaryEvery.compareTo(Duration.ofSeconds(1)) < 0
        || canaryEvery.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "canary pause=" + canaryEvery + ": must be between 1s and 24h");
    }
  }
}
