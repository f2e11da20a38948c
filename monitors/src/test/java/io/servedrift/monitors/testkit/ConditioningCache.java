package io.servedrift.monitors.testkit;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A least-recently-used cache of finite bytes, with a second tier for what it evicts. Not
 * thread-safe.
 */
final class ConditioningCache {
  /** Where an entry was found. */
  enum Tier {
    DEVICE,
    HOST,
    MISS
  }

  /**
   * What a look-up found.
   *
   * @param ageMicros since the entry was computed; 0 for a miss
   */
  record Found(Tier tier, long ageMicros) {}

  private record Entry(long bytes, long sinceMicros) {}

  private final Map<Long, Entry> device = new LinkedHashMap<>(1024, 0.75f, true);
  private final Map<Long, Entry> host = new LinkedHashMap<>(1024, 0.75f, true);
  private final long hostCapacity;
  private long deviceBytes;
  private long hostBytes;
  private long evictions;

  ConditioningCache(long hostCapacity) {
    this.hostCapacity = hostCapacity;
  }

  /**
   * Looks an entry up, computes it when it is nowhere, and makes it the most recent one.
   *
   * @param capacity bytes that the first tier may hold now
   */
  Found use(long key, long bytes, long nowMicros, long capacity) {
    Entry entry = device.get(key);
    Tier tier = Tier.DEVICE;
    if (entry == null) {
      entry = host.remove(key);
      tier = Tier.HOST;
      if (entry == null) {
        entry = new Entry(bytes, nowMicros);
        tier = Tier.MISS;
      } else {
        hostBytes -= entry.bytes;
      }
      if (bytes <= capacity) {
        device.put(key, entry);
        deviceBytes += entry.bytes;
      }
    }
    shrinkTo(capacity);
    return new Found(tier, nowMicros - entry.sinceMicros);
  }

  /** Evicts the least recently used until the first tier fits. */
  void shrinkTo(long capacity) {
    Iterator<Map.Entry<Long, Entry>> oldest = device.entrySet().iterator();
    while (deviceBytes > capacity && oldest.hasNext()) {
      Map.Entry<Long, Entry> victim = oldest.next();
      oldest.remove();
      deviceBytes -= victim.getValue().bytes;
      evictions++;
      keepOnHost(victim.getKey(), victim.getValue());
    }
  }

  private void keepOnHost(Long key, Entry entry) {
    if (hostCapacity == 0) {
      return;
    }
    host.put(key, entry);
    hostBytes += entry.bytes;
    Iterator<Map.Entry<Long, Entry>> oldest = host.entrySet().iterator();
    while (hostBytes > hostCapacity && oldest.hasNext()) {
      hostBytes -= oldest.next().getValue().bytes;
      oldest.remove();
    }
  }

  /** Forgets everything. */
  void flush() {
    device.clear();
    host.clear();
    deviceBytes = 0;
    hostBytes = 0;
  }

  /** Evictions from the first tier since the start. */
  long evictions() {
    return evictions;
  }

  /** Bytes in the first tier. */
  long bytes() {
    return deviceBytes;
  }
}
