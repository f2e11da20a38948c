package io.servedrift.serving.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FaultsTest {

  private final List<String> told = new ArrayList<>();

  @Test
  void tellsWhatChanged_whenFaultsAreSet() {
    Faults faults = new Faults(Set.of(Fault.SLOW_NODE));
    faults.addListener((fault, on) -> told.add((on ? "on " : "off ") + fault.word()));
    faults.set(Set.of(Fault.EVICTION_STORM, Fault.PREEMPTION_THRASH));
    faults.set(EnumSet.of(Fault.EVICTION_STORM, Fault.PREEMPTION_THRASH));

    assertThat(told).containsExactly("off slow-node", "on eviction-storm", "on preemption-thrash");
    assertThat(faults.words()).containsExactly("eviction-storm", "preemption-thrash");
    assertThat(faults.on(Fault.EVICTION_STORM)).isTrue();
    assertThat(faults.on(Fault.SLOW_NODE)).isFalse();
  }

  @Test
  void logsLoudly_whenFaultIsSwitched() {
    Logger logger = (Logger) LoggerFactory.getLogger(Faults.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      Faults faults = new Faults(Set.of(Fault.SLOW_NODE));
      faults.set(Set.of());
    } finally {
      logger.detachAppender(log);
    }

    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "fault on purpose switched on: slow-node", "fault on purpose switched off: slow-node");
    assertThat(log.list).allSatisfy(e -> assertThat(e.getLevel()).isEqualTo(Level.WARN));
  }

  @Test
  void findsFault_whenWordIsKnown() {
    for (Fault fault : Fault.values()) {
      assertThat(Fault.ofWord(fault.word())).isEqualTo(fault);
    }
    assertThatThrownBy(() -> Fault.ofWord("slow"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("fault=slow: must be one of conditioning-key-collision, ")
        .hasMessageEndingWith("slow-node");
  }

  @Test
  void doesHarmOnlyWhileOn_whenTimeIsOver() {
    Faults faults = Faults.none();
    AtomicInteger harms = new AtomicInteger();
    try (RepeatedFault storm =
        new RepeatedFault(
            faults, Fault.EVICTION_STORM, Duration.ofDays(1), harms::incrementAndGet)) {
      storm.tick();
      faults.set(Set.of(Fault.EVICTION_STORM));
      storm.tick();
      storm.tick();
      faults.set(Set.of(Fault.SLOW_NODE));
      storm.tick();
    }
    assertThat(harms).hasValue(2);
  }

  @Test
  void goesOn_whenHarmFails() throws Exception {
    CountDownLatch harms = new CountDownLatch(3);
    Runnable harm =
        () -> {
          harms.countDown();
          throw new IllegalStateException("nothing to evict");
        };
    RepeatedFault storm =
        new RepeatedFault(
            new Faults(Set.of(Fault.EVICTION_STORM)),
            Fault.EVICTION_STORM,
            Duration.ofMillis(1),
            harm);
    try (storm) {
      assertThat(harms.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
