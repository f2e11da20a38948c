package io.servedrift.ingest.http;

import io.servedrift.schemas.avro.ConfigRecord;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Registrations the broker has acknowledged lately: a node that gives its configuration inline with
 * each request registers it every ten minutes, not with each request. Bounded; thread-safe.
 */
final class RecentRegistrations {

  private static final int MAX = 1024;
  private static final Duration FRESH = Duration.ofMinutes(10);

  private final Clock clock;
  private final Map<Key, Instant> acknowledged =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Instant> eldest) {
          return size() > MAX;
        }
      };

  RecentRegistrations(Clock clock) {
    this.clock = clock;
  }

  synchronized boolean contains(ConfigRecord registration) {
    Instant at = acknowledged.get(Key.of(registration));
    return at != null && at.plus(FRESH).isAfter(clock.instant());
  }

  synchronized void acknowledged(ConfigRecord registration) {
    acknowledged.put(Key.of(registration), clock.instant());
  }

  /** What a registration says, apart from when and where it was seen. */
  record Key(String deployment, String configId, String modelId, String notCounted) {
    static Key of(ConfigRecord r) {
      return new Key(
          r.getDeployment(),
          String.valueOf(r.getConfigId()),
          String.valueOf(r.getModelId()),
          String.valueOf(r.getNotCounted()));
    }
  }
}
