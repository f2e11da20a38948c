package io.servedrift.ingest.gateway;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.avro.ConfigRecord;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Says what configuration and model ids mean, every ten minutes for as long as they are in use, so
 * that a broker that was away hears it too. Bounded; one thread at a time.
 */
final class Announcements {

  private static final int MAX = 1024;
  private static final Duration FRESH = Duration.ofMinutes(10);

  private final EventSink sink;
  private final Clock clock;
  private final Map<String, Instant> said =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
          return size() > MAX;
        }
      };

  Announcements(EventSink sink, Clock clock) {
    this.sink = sink;
    this.clock = clock;
  }

  void announce(List<ConfigRecord> records) {
    Instant now = clock.instant();
    for (ConfigRecord record : records) {
      String key = record.getConfigId() + "/" + record.getModelId();
      Instant before = said.get(key);
      if ((before == null || before.plus(FRESH).isBefore(now)) && sink.offer(record)) {
        said.put(key, now);
      }
    }
  }
}
