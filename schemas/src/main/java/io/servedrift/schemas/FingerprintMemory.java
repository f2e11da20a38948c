package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Remembers the fingerprints of the objects that came last: a producer that sends its configuration
 * inline sends the same one with every request. Bounded in number and size. Thread-safe.
 */
final class FingerprintMemory {
  private static final int REMEMBERED = 64;

  /** Longer ones are computed each time, so that the memory stays within a few megabytes. */
  private static final int LONGEST = 8 * 1024;

  private final Function<JsonNode, Fingerprint> compute;
  private final Map<JsonNode, Fingerprint> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<JsonNode, Fingerprint> eldest) {
          return size() > REMEMBERED;
        }
      };

  FingerprintMemory(Function<JsonNode, Fingerprint> compute) {
    this.compute = compute;
  }

  /** As {@link ConfigFingerprint}, errors included. */
  synchronized Fingerprint of(JsonNode object) {
    Fingerprint fingerprint = known.get(object);
    if (fingerprint == null) {
      fingerprint = compute.apply(object);
      if (fingerprint.counted().length() + fingerprint.notCounted().length() <= LONGEST) {
        // The caller owns its tree and may change it.
        known.put(object.deepCopy(), fingerprint);
      }
    }
    return fingerprint;
  }
}
