package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.testkit.ConditioningCache.Found;
import io.servedrift.monitors.testkit.ConditioningCache.Tier;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ConditioningCacheTest {
  @Test
  void evictsTheLeastRecentlyUsed_whenItIsFull() {
    ConditioningCache cache = new ConditioningCache(0);
    cache.use(1, 10, 100, 20);
    cache.use(2, 10, 200, 20);
    assertThat(cache.use(1, 10, 300, 20)).isEqualTo(new Found(Tier.DEVICE, 200));
    cache.use(3, 10, 400, 20);
    assertThat(cache.evictions()).isEqualTo(1);
    assertThat(cache.use(1, 10, 500, 20).tier()).isEqualTo(Tier.DEVICE);
    assertThat(cache.use(2, 10, 600, 20)).isEqualTo(new Found(Tier.MISS, 0));
  }

  @Test
  void findsInTheSecondTierWhatTheFirstOneEvicted_whenThereIsOne() {
    ConditioningCache cache = new ConditioningCache(10);
    cache.use(1, 10, 100, 10);
    cache.use(2, 10, 200, 10);
    assertThat(cache.use(1, 10, 300, 10)).isEqualTo(new Found(Tier.HOST, 200));
    assertThat(cache.use(2, 10, 400, 10).tier()).isEqualTo(Tier.HOST);
    cache.use(3, 10, 500, 10);
    assertThat(cache.use(1, 10, 600, 10).tier()).isEqualTo(Tier.MISS);
  }

  @Test
  void keepsNothing_whenAnEntryIsLargerThanItsRoom() {
    ConditioningCache cache = new ConditioningCache(0);
    assertThat(cache.use(1, 10, 100, 5).tier()).isEqualTo(Tier.MISS);
    assertThat(cache.bytes()).isZero();
    assertThat(cache.use(1, 10, 200, 5).tier()).isEqualTo(Tier.MISS);
  }

  @Test
  void staysWithinItsRoom_whenTheRoomChanges() {
    SplittableRandom random = new SplittableRandom(4);
    ConditioningCache cache = new ConditioningCache(500);
    for (int i = 0; i < 20_000; i++) {
      long room = random.nextLong(100, 1_000);
      long key = random.nextInt(200);
      cache.use(key, 1 + key % 37, i, room);
      assertThat(cache.bytes()).isBetween(0L, room);
    }
    cache.flush();
    assertThat(cache.bytes()).isZero();
    assertThat(cache.use(1, 2, 30_000, 100).tier()).isEqualTo(Tier.MISS);
  }
}
