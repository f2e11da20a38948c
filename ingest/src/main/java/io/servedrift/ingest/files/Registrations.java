package io.servedrift.ingest.files;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers what was registered when, so that a file with one configuration per row does not
 * register it per row. While reading, an earlier time than the known one is new again, so that in
 * sorted order the registration stands before its first use; there the same rule drops the rest.
 * The memory is bounded: an id not met for long may be registered again, which changes nothing in a
 * dictionary. Not thread-safe.
 */
final class Registrations {
  private static final int MAX_IDS = 100_000;

  private final Map<Long, Long> earliest =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > MAX_IDS;
        }
      };

  /**
   * True when the registration is needed.
   *
   * @param idHash of what is registered
   */
  boolean isNew(long idHash, long timeMicros) {
    Long known = earliest.get(idHash);
    if (known != null && known <= timeMicros) {
      return false;
    }
    earliest.put(idHash, timeMicros);
    return true;
  }
}
