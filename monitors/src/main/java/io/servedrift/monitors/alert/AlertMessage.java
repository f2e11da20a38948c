package io.servedrift.monitors.alert;

import java.time.Instant;
import java.util.Map;

/**
 * One alert as Alertmanager is to hear of it. Immutable.
 *
 * @param endsAt in the past when it is resolved; else when it ends unless it is sent again
 * @param resolved whether it is over
 */
public record AlertMessage(
    AlertKey key,
    Instant startsAt,
    Instant endsAt,
    boolean resolved,
    Map<String, String> annotations,
    String generatorUrl) {
  /** Keeps its own map. */
  public AlertMessage {
    annotations = Map.copyOf(annotations);
  }

  /** Whether another one says the same, apart from the time it is good for. */
  boolean saysSameAs(AlertMessage other) {
    return key.equals(other.key)
        && startsAt.equals(other.startsAt)
        && resolved == other.resolved
        && annotations.equals(other.annotations)
        && generatorUrl.equals(other.generatorUrl);
  }
}
