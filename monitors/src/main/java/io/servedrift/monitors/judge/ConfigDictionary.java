package io.servedrift.monitors.judge;

import io.servedrift.schemas.ConfigDiff;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What configuration ids stand for, as registered. An id is made of the content, so it never means
 * anything else; what is not registered yet has no axes. Bounded. Thread-safe.
 */
public final class ConfigDictionary implements ConfigAxes {
  private static final int MOST_CONFIGS = 10_000;
  private static final int MOST_CHANGES = 20;

  private final ConcurrentMap<String, String> countedById = new ConcurrentHashMap<>();

  /** Learns what an id means. */
  public void add(ConfigRecord record) {
    String id = record.getConfigId();
    String counted = record.getCounted();
    if (id != null && counted != null && countedById.size() < MOST_CONFIGS) {
      countedById.putIfAbsent(id, counted);
    }
  }

  @Override
  public List<String> changed(String fromConfigId, String toConfigId) {
    String from = countedById.get(fromConfigId);
    String to = countedById.get(toConfigId);
    if (from == null || to == null || fromConfigId.equals(toConfigId)) {
      return List.of();
    }
    return ConfigDiff.between(fingerprint(fromConfigId, from), fingerprint(toConfigId, to))
        .changes()
        .stream()
        .limit(MOST_CHANGES)
        .map(change -> change.text().strip())
        .toList();
  }

  private static Fingerprint fingerprint(String id, String counted) {
    return new Fingerprint(id, counted, "{}", List.of());
  }
}
