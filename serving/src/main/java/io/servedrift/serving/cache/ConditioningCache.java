package io.servedrift.serving.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Text-encoder outputs by what they were computed from; least recently used go first when the bytes
 * exceed the capacity. Values hold native memory: each is closed exactly once, as soon as it is
 * neither in the cache nor leased.
 *
 * <p>The caller computes a missing value and {@linkplain #store stores} it; two threads that miss
 * the same key both compute, and the later store replaces the earlier. Thread-safe; values are
 * closed outside the lock, on the thread that dropped the last use.
 *
 * @param <K> what a value was computed from, with {@code equals} and {@code hashCode}
 * @param <V> the value
 */
public final class ConditioningCache<K, V> implements AutoCloseable {

  private final long capacityBytes;
  private final ToLongFunction<? super V> sizeInBytes;
  private final Consumer<? super V> closer;
  private final LongSupplier nanoTime;

  private final Object lock = new Object();

  /** In order of use, the least recent first. */
  private final LinkedHashMap<K, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  private boolean closed;
  private long bytes;
  private long hits;
  private long misses;
  private long bypasses;
  private long evictions;
  private long flushed;
  private long oversized;

  /**
   * An empty cache.
   *
   * @param capacityBytes the most bytes it may hold; 0 keeps nothing
   * @param sizeInBytes size of a value, not negative and always the same for a value
   * @param closer frees a value; must not throw
   * @param nanoTime monotonic timer, as {@link System#nanoTime()}
   */
  public ConditioningCache(
      long capacityBytes,
      ToLongFunction<? super V> sizeInBytes,
      Consumer<? super V> closer,
      LongSupplier nanoTime) {
    if (capacityBytes < 0) {
      throw new IllegalArgumentException(
          "capacityBytes=" + capacityBytes + ": must not be negative");
    }
    this.capacityBytes = capacityBytes;
    this.sizeInBytes = sizeInBytes;
    this.closer = closer;
    this.nanoTime = nanoTime;
  }

  /** Whether it can hold anything. */
  public boolean enabled() {
    return capacityBytes > 0;
  }

  /** Whether a value is there; neither a use nor a look-up that counts. */
  public boolean contains(K key) {
    synchronized (lock) {
      return entries.containsKey(key);
    }
  }

  /** Looks a value up and makes it the most recently used; counts a hit or a miss. */
  public Optional<Lease<V>> acquire(K key) {
    synchronized (lock) {
      Entry entry = entries.get(key);
      if (entry == null) {
        misses++;
        return Optional.empty();
      }
      hits++;
      return Optional.of(
          entry.lease(true, Duration.ofNanos(nanoTime.getAsLong() - entry.storedNanos)));
    }
  }

  /**
   * Keeps a value, if it fits, and leases it to the caller. The cache owns it from now on. Replaces
   * an entry of the same key.
   */
  public Lease<V> store(K key, V value) {
    long size = sizeInBytes.applyAsLong(value);
    List<V> unused = new ArrayList<>();
    Lease<V> lease;
    synchronized (lock) {
      Entry entry = new Entry(value, size, nanoTime.getAsLong());
      lease = entry.lease(false, Duration.ZERO);
      if (size > capacityBytes) {
        oversized += enabled() ? 1 : 0;
      } else if (!closed) {
        Entry replaced = entries.remove(key);
        if (replaced != null) {
          drop(replaced, unused);
        }
        makeRoom(size, unused);
        entries.put(key, entry);
        entry.cached = true;
        bytes += size;
      }
    }
    unused.forEach(closer);
    return lease;
  }

  /** Leases a value that the cache is not to keep; it is closed with the lease. */
  public Lease<V> bypass(V value) {
    synchronized (lock) {
      bypasses++;
      return new Entry(value, 0, nanoTime.getAsLong()).lease(false, Duration.ZERO);
    }
  }

  /**
   * Drops the least recently used entries; counted as evictions.
   *
   * @param share of the entries, 0 to 1, rounded up
   * @return how many were dropped
   */
  public int evict(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("share=" + share + ": must be between 0 and 1");
    }
    List<V> unused = new ArrayList<>();
    int count;
    synchronized (lock) {
      count = (int) Math.ceil(share * entries.size());
      for (int i = 0; i < count; i++) {
        evictEldest(unused);
      }
    }
    unused.forEach(closer);
    return count;
  }

  /**
   * Drops everything.
   *
   * @return how many entries were dropped
   */
  public int flush() {
    List<V> unused = new ArrayList<>();
    int count;
    synchronized (lock) {
      count = entries.size();
      entries.values().forEach(entry -> drop(entry, unused));
      entries.clear();
      flushed += count;
    }
    unused.forEach(closer);
    return count;
  }

  /** A consistent look at the counters. */
  public CacheStatistics statistics() {
    synchronized (lock) {
      return new CacheStatistics(
          entries.size(),
          bytes,
          capacityBytes,
          hits,
          misses,
          bypasses,
          evictions,
          flushed,
          oversized);
    }
  }

  /** Drops everything and keeps nothing from now on; open leases stay valid. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
    }
    flush();
  }

  private void makeRoom(long size, List<V> unused) {
    while (bytes + size > capacityBytes) {
      evictEldest(unused);
    }
  }

  private void evictEldest(List<V> unused) {
    Iterator<Map.Entry<K, Entry>> eldest = entries.entrySet().iterator();
    drop(eldest.next().getValue(), unused);
    eldest.remove();
    evictions++;
  }

  /** Takes an entry's bytes back; the caller removes it from the map. */
  private void drop(Entry entry, List<V> unused) {
    bytes -= entry.size;
    entry.cached = false;
    if (entry.leases == 0) {
      unused.add(entry.value);
    }
  }

  private void release(Entry entry) {
    boolean unused;
    synchronized (lock) {
      entry.leases--;
      unused = entry.leases == 0 && !entry.cached;
    }
    if (unused) {
      closer.accept(entry.value);
    }
  }

  /** A value and its uses; all fields but the value are guarded by the lock. */
  private final class Entry {
    private final V value;
    private final long size;
    private final long storedNanos;
    private boolean cached;
    private int leases;

    private Entry(V value, long size, long storedNanos) {
      this.value = value;
      this.size = size;
      this.storedNanos = storedNanos;
    }

    private Lease<V> lease(boolean hit, Duration age) {
      leases++;
      return new EntryLease(this, hit, age);
    }
  }

  private final class EntryLease implements Lease<V> {
    private final Entry entry;
    private final boolean hit;
    private final Duration age;
    private boolean released;

    private EntryLease(Entry entry, boolean hit, Duration age) {
      this.entry = entry;
      this.hit = hit;
      this.age = age;
    }

    @Override
    public V value() {
      return entry.value;
    }

    @Override
    public boolean hit() {
      return hit;
    }

    @Override
    public Duration age() {
      return age;
    }

    @Override
    public void close() {
      synchronized (this) {
        if (released) {
          return;
        }
        released = true;
      }
      release(entry);
    }
  }
}
