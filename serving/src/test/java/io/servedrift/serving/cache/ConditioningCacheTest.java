package io.servedrift.serving.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Values are words whose size is their length. */
class ConditioningCacheTest {

  private final AtomicLong nanos = new AtomicLong();
  private final List<String> freed = new ArrayList<>();

  private ConditioningCache<String, String> cache(long capacity) {
    return new ConditioningCache<>(capacity, String::length, freed::add, nanos::get);
  }

  @Test
  void hitIsTheStoredValueAndTellsItsAge() {
    ConditioningCache<String, String> cache = cache(10);
    nanos.set(5_000);
    cache.store("k", "value").close();
    nanos.set(1_005_000);

    Lease<String> lease = cache.acquire("k").orElseThrow();

    assertThat(lease.value()).isEqualTo("value");
    assertThat(lease.hit()).isTrue();
    assertThat(lease.age()).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void storedAndBypassedValuesAreNoHits() {
    ConditioningCache<String, String> cache = cache(10);

    assertThat(cache.store("k", "value").hit()).isFalse();
    assertThat(cache.bypass("other").hit()).isFalse();
    assertThat(cache.bypass("other").age()).isZero();
  }

  @Test
  void useDecidesWhoIsEvicted() {
    ConditioningCache<String, String> cache = cache(9);
    cache.store("a", "aaa").close();
    cache.store("b", "bbb").close();
    cache.store("c", "ccc").close();
    cache.acquire("a").orElseThrow().close();

    cache.store("d", "dd").close();

    assertThat(freed).containsExactly("bbb");
    assertThat(cache.acquire("b")).isEmpty();
    assertThat(cache.acquire("a")).isPresent();
  }

  @Test
  void evictedValueInUseIsFreedByItsLastLease() {
    ConditioningCache<String, String> cache = cache(5);
    Lease<String> first = cache.store("a", "aaaaa");
    Lease<String> second = cache.acquire("a").orElseThrow();
    cache.store("b", "bbbbb").close();
    assertThat(freed).isEmpty();

    first.close();
    first.close();
    assertThat(freed).isEmpty();
    second.close();

    assertThat(freed).containsExactly("aaaaa");
  }

  @Test
  void bypassedValueIsNeverKept() {
    ConditioningCache<String, String> cache = cache(10);

    cache.bypass("value").close();

    assertThat(freed).containsExactly("value");
    assertThat(cache.statistics()).isEqualTo(new CacheStatistics(0, 0, 10, 0, 0, 1, 0, 0, 0));
  }

  @Test
  void valueLargerThanTheCacheEvictsNothing() {
    ConditioningCache<String, String> cache = cache(4);
    cache.store("a", "aaaa").close();

    cache.store("b", "bbbbb").close();

    assertThat(freed).containsExactly("bbbbb");
    assertThat(cache.statistics()).isEqualTo(new CacheStatistics(1, 4, 4, 0, 0, 0, 0, 0, 1));
  }

  @Test
  void replacingFreesTheOldValueAndIsNoEviction() {
    ConditioningCache<String, String> cache = cache(10);
    cache.store("a", "old").close();

    cache.store("a", "newer").close();

    assertThat(freed).containsExactly("old");
    assertThat(cache.statistics()).isEqualTo(new CacheStatistics(1, 5, 10, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void evictDropsTheLeastRecentShareRoundedUp() {
    ConditioningCache<String, String> cache = cache(10);
    cache.store("a", "1").close();
    cache.store("b", "2").close();
    cache.store("c", "3").close();

    assertThat(cache.evict(0.5)).isEqualTo(2);

    assertThat(freed).containsExactly("1", "2");
    assertThat(cache.statistics().evictions()).isEqualTo(2);
    assertThatThrownBy(() -> cache.evict(1.5)).hasMessage("share=1.5: must be between 0 and 1");
  }

  @Test
  void flushDropsEverythingAndCountsIt() {
    ConditioningCache<String, String> cache = cache(10);
    cache.store("a", "1").close();
    cache.store("b", "2").close();

    assertThat(cache.flush()).isEqualTo(2);

    assertThat(freed).containsExactlyInAnyOrder("1", "2");
    assertThat(cache.acquire("a")).isEmpty();
    assertThat(cache.statistics()).isEqualTo(new CacheStatistics(0, 0, 10, 0, 1, 0, 0, 2, 0));
  }

  @Test
  void withoutCapacityItKeepsNothing() {
    ConditioningCache<String, String> cache = cache(0);

    cache.store("a", "1").close();

    assertThat(cache.enabled()).isFalse();
    assertThat(freed).containsExactly("1");
    assertThat(cache.statistics().oversized()).isZero();
    assertThatThrownBy(() -> cache(-1)).hasMessage("capacityBytes=-1: must not be negative");
  }

  @Test
  void afterCloseLeasesStayValidAndNothingIsKept() {
    ConditioningCache<String, String> cache = cache(10);
    Lease<String> inUse = cache.store("a", "1");

    cache.close();
    cache.store("b", "2").close();

    assertThat(inUse.value()).isEqualTo("1");
    assertThat(freed).containsExactly("2");
    inUse.close();
    assertThat(freed).containsExactly("2", "1");
  }

  /** One thread works as the stepping thread does, another flushes; no value is used after free. */
  @Test
  void everyValueIsFreedOnceAndNeverWhileInUse_whenAnotherThreadFlushes() throws Exception {
    ConcurrentHashMap<Integer, AtomicInteger> frees = new ConcurrentHashMap<>();
    ConditioningCache<Integer, Integer> cache =
        new ConditioningCache<>(
            8,
            value -> 1,
            value -> frees.computeIfAbsent(value, v -> new AtomicInteger()).incrementAndGet(),
            System::nanoTime);
    AtomicInteger made = new AtomicInteger();
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 2; t++) {
        int offset = t;
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  for (int i = 0; i < 20_000; i++) {
                    int key = (i * 7 + offset) % 16;
                    Optional<Lease<Integer>> found = cache.acquire(key);
                    try (Lease<Integer> lease =
                        found.orElseGet(() -> cache.store(key, made.getAndIncrement()))) {
                      assertThat(frees).doesNotContainKey(lease.value());
                    }
                  }
                  return null;
                }));
      }
      running.add(
          threads.submit(
              () -> {
                start.await();
                for (int i = 0; i < 2_000; i++) {
                  cache.flush();
                  assertThat(cache.statistics().bytes()).isBetween(0L, 8L);
                }
                return null;
              }));
      start.countDown();
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    cache.close();

    assertThat(frees).hasSize(made.get());
    assertThat(frees.values()).allMatch(count -> count.get() == 1);
  }
}
