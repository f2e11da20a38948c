package io.servedrift.monitors.alert;

import java.time.Instant;
import java.util.Map;

/**
 * Something that holds now and is no finding, such as missing data. Immutable.
 *
 * @param startsAt since when; what the first sighting said stays
 */
public record Condition(AlertKey key, Map<String, String> annotations, Instant startsAt) {
  /** Keeps its own map. */
  public Condition {
    annotations = Map.copyOf(annotations);
  }
}
