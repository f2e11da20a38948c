package io.servedrift.monitors.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Waves of clients, the clients themselves, and what they saw. */
class LoadTest {

  @Test
  void isBusyFirstAndQuietThen() {
    LoadWave wave = new LoadWave(3, 12, Duration.ofSeconds(12), Duration.ofSeconds(7));
    List<Integer> clients = new ArrayList<>();
    for (int second = 0; second < 24; second++) {
      clients.add(wave.clients(Duration.ofSeconds(second)));
    }
    List<Integer> once = List.of(12, 12, 12, 12, 12, 12, 12, 3, 3, 3, 3, 3);
    assertThat(clients.subList(0, 12)).isEqualTo(once);
    assertThat(clients.subList(12, 24)).isEqualTo(once);
    assertThat(LoadWave.steady(4).clients(Duration.ofMinutes(9))).isEqualTo(4);
    assertThatThrownBy(() -> new LoadWave(3, 2, Duration.ofSeconds(1), Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("busy=2");
  }

  @Test
  void comesAndGoesWithTheTide() {
    LoadWave wave = new LoadWave(2, 12, Duration.ofSeconds(10), Duration.ofSeconds(3));
    LoadTide tide = new LoadTide(wave, 4, Duration.ofMinutes(20));
    Duration quiet = Duration.ofSeconds(5);
    assertThat(tide.clients(quiet)).isEqualTo(2);
    assertThat(tide.clients(quiet.plusMinutes(5))).isEqualTo(4);
    assertThat(tide.clients(quiet.plusMinutes(10))).isEqualTo(6);
    assertThat(tide.clients(quiet.plusMinutes(15))).isEqualTo(4);
    assertThat(tide.clients(quiet.plusMinutes(20))).isEqualTo(2);
    assertThat(tide.clients(Duration.ofMinutes(10))).isEqualTo(16).isEqualTo(tide.most());
    // High tide is no busy time of its own.
    assertThat(tide.busy(quiet.plusMinutes(10))).isFalse();
    assertThat(tide.busy(Duration.ofMinutes(10))).isTrue();
    assertThatThrownBy(() -> new LoadTide(wave, -1, Duration.ofMinutes(20)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more=-1");
    assertThatThrownBy(() -> new LoadTide(wave, 1, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("period=PT0S");
  }

  @Test
  void saysMeanAndNearestRank() {
    List<Double> seconds = new ArrayList<>();
    for (int i = 200; i > 0; i--) {
      seconds.add(i / 100.0);
    }
    LoadNumbers numbers = new LoadNumbers(seconds, 0, null);
    assertThat(numbers.mean()).isEqualTo(1.005);
    assertThat(numbers.p99()).isEqualTo(1.98);
    assertThat(new LoadNumbers(seconds.subList(0, 99), 0, null).p99()).isNaN();
    assertThat(new LoadNumbers(List.of(), 0, null).mean()).isNaN();
  }

  @Test
  void keepsTheLatestLatencies_andCountsAllImages() {
    LatestLatencies latencies = new LatestLatencies();
    latencies.add(900);
    for (int i = 0; i < LatestLatencies.MOST; i++) {
      latencies.add(2);
    }
    LoadNumbers numbers = latencies.numbers(3, "the queue is full");
    assertThat(numbers.images()).isEqualTo(LatestLatencies.MOST + 1);
    assertThat(numbers.seconds()).hasSize(LatestLatencies.MOST);
    assertThat(numbers.mean()).isEqualTo(2);
    assertThat(numbers.failures()).isEqualTo(3);
  }

  @Test
  void keepsAsManyRequestsOpenAsThereAreClients() {
    AtomicInteger open = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch answer = new CountDownLatch(1);
    LoadNumbers numbers;
    try (ClosedLoop loop =
        ClosedLoop.start(
            LoadWave.steady(3),
            1,
            random -> {
              most.accumulateAndGet(open.incrementAndGet(), Math::max);
              answer.await();
              open.decrementAndGet();
            })) {
      await().until(() -> open.get() == 3);
      answer.countDown();
      await().until(() -> loop.numbers().images() >= 9);
      numbers = loop.numbers();
    }
    assertThat(most.get()).isEqualTo(3);
    assertThat(numbers.failures()).isZero();
    assertThat(numbers.failure()).isNull();
  }

  @Test
  void tellsBusyTimesApart() {
    LoadNumbers all;
    LoadNumbers busy;
    LoadWave wave = new LoadWave(1, 2, Duration.ofHours(2), Duration.ofHours(1));
    try (ClosedLoop loop = ClosedLoop.start(wave, 1, random -> {});
        ClosedLoop quiet = ClosedLoop.start(LoadWave.steady(2), 1, random -> {})) {
      await().until(() -> loop.numbers().images() >= 3 && quiet.numbers().images() >= 3);
      busy = loop.whenBusy();
      all = loop.numbers();
      assertThat(quiet.whenBusy().images()).isZero();
    }
    assertThat(busy.images()).isBetween(3L, all.images());
  }

  @Test
  void countsWhatFails_andStopsClientsThatWait() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger stopped = new AtomicInteger();
    ClosedLoop loop =
        ClosedLoop.start(
            LoadWave.steady(2),
            1,
            random -> {
              if (asked.incrementAndGet() <= 5) {
                throw new IOException("the queue is full");
              }
              try {
                never.await();
              } finally {
                stopped.incrementAndGet();
              }
            });
    await().until(() -> asked.get() == 7);
    loop.close();
    assertThat(stopped.get()).isEqualTo(2);
    assertThat(loop.numbers().failures()).isEqualTo(5);
    assertThat(loop.numbers().failure()).isEqualTo("the queue is full");
    assertThat(loop.numbers().images()).isZero();
  }
}
