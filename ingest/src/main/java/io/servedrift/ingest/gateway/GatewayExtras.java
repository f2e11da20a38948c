package io.servedrift.ingest.gateway;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway does beside passing and measuring.
 *
 * @param scorer where images are scored; null: nowhere
 * @param canaries prompts to ask again and again; null: none
 * @param configEvery pause between two looks at the upstream's configuration, a second to a day;
 *     null: never
 * @param canaryEvery pause between two canary prompts, a second to a day
 */
public record GatewayExtras(
    @Nullable ScorerSettings scorer,
    @Nullable CanaryPrompts canaries,
    Duration canaryEvery,
    @Nullable Duration configEvery) {

  /** Nothing. */
  public static final GatewayExtras NONE =
      new GatewayExtras(null, null, Duration.ofMinutes(1), null);

  public GatewayExtras {
    pause("canary pause", canaryEvery);
    if (configEvery != null) {
      pause("config pause", configEvery);
    }
  }

  private static void pause(String what, Duration pause) {
    if (pause.compareTo(Duration.ofSeconds(1)) < 0 || pause.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(what + "=" + pause + ": must be between 1s and 24h");
    }
  }
}
