package io.servedrift.serving.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.serving.scheduler.BatchingMode;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EventJournalTest {

  private static final Instant NOW = Instant.parse("2026-11-30T10:00:00.123456789Z");

  private final CollectingSink sink = new CollectingSink();
  private final EventJournal journal =
      new EventJournal(
          sink,
          "image-gen",
          "n1",
          configuration(SchedulerLimits.single()),
          InstantSource.fixed(NOW));

  private static ResolvedConfiguration configuration(SchedulerLimits limits) {
    FakeEngine engine = new FakeEngine();
    return new ResolvedConfiguration("1.0", engine.model(), engine.engine(), limits);
  }

  @Test
  void registersItsConfigurationAgain_untilTheBrokerHasIt() {
    sink.failing(true);
    journal.started();
    journal.heartbeat();
    // Once at the start, and once with each heartbeat: the first is part of the start.
    assertThat(sink.of(ConfigRecord.class)).hasSize(3);
    sink.failing(false);
    journal.heartbeat();
    assertThat(sink.of(ConfigRecord.class)).hasSize(4);
    journal.heartbeat();

    assertThat(sink.of(ConfigRecord.class)).hasSize(4);
    assertThat(sink.of(Heartbeat.class)).hasSize(4);
    assertThat(sink.of(Heartbeat.class).get(0).getAt())
        .isEqualTo(Instant.parse("2026-11-30T10:00:00.123456Z"));
  }

  @Test
  void tellsTheFirstConfigurationFromTheNext_andNothingWhenItIsTheSame() {
    journal.switchTo(configuration(SchedulerLimits.single()));
    assertThat(sink.all()).isEmpty();
    String before = journal.identity().configId();

    journal.switchTo(configuration(SchedulerLimits.continuous()));

    assertThat(journal.identity().configId()).isNotEqualTo(before);
    assertThat(sink.of(ServingEvent.class))
        .singleElement()
        .satisfies(
            event ->
                assertThat(event.getAttributes())
                    .containsEntry("from_config_id", before)
                    .containsEntry("to_config_id", journal.identity().configId())
                    .hasSize(2));
    assertThat(sink.rejected()).isEmpty();
  }

  @Test
  void registersEveryConfigurationThatWasInForce_whenTheBrokerIsBack() {
    sink.failing(true);
    journal.started();
    String first = journal.identity().configId();
    journal.switchTo(configuration(SchedulerLimits.continuous()));
    String second = journal.identity().configId();
    sink.failing(false);
    int before = sink.of(ConfigRecord.class).size();
    journal.heartbeat();

    assertThat(sink.of(ConfigRecord.class).subList(before, sink.of(ConfigRecord.class).size()))
        .extracting(ConfigRecord::getConfigId)
        .containsExactly(first, second);
    journal.heartbeat();
    assertThat(sink.of(ConfigRecord.class)).hasSize(before + 2);
  }

  @Test
  void keepsTheLatestConfigurations_whenTheBrokerStaysAway() {
    sink.failing(true);
    for (int running = 1; running <= EventJournal.MAX_UNREGISTERED + 1; running++) {
      journal.switchTo(
          configuration(new SchedulerLimits(BatchingMode.CONTINUOUS, 8, running, 64, 2)));
    }
    int before = sink.of(ConfigRecord.class).size();
    sink.failing(false);
    journal.heartbeat();

    assertThat(sink.of(ConfigRecord.class)).hasSize(before + EventJournal.MAX_UNREGISTERED);
    assertThat(
            sink.of(ConfigRecord.class).get(sink.of(ConfigRecord.class).size() - 1).getConfigId())
        .isEqualTo(journal.identity().configId());
  }

  /** In single mode the other limits have no effect, so they make no other configuration. */
  @Test
  void countsLimitsInForce_notThoseThatAreSet() {
    ResolvedConfiguration eight =
        configuration(new SchedulerLimits(BatchingMode.SINGLE, 8, 16, 64, 2));

    assertThat(eight.configId()).isEqualTo(journal.configuration().configId());
  }

  @Test
  void reportsBursts_once() {
    AtomicLong evictions = new AtomicLong();
    AtomicLong preemptions = new AtomicLong();
    AtomicLong nanos = new AtomicLong();
    try (NodePulse pulse = new NodePulse(journal, evictions::get, preemptions::get, nanos::get)) {
      pulse.look();
      evictions.set(NodePulse.EVICTION_STORM - 1);
      preemptions.set(NodePulse.PREEMPTION_PRESSURE);
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      pulse.look();
      assertThat(sink.of(ServingEvent.class))
          .extracting(event -> event.getKind().name())
          .containsExactly("PREEMPTION_PRESSURE");
      evictions.addAndGet(1);
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      pulse.look();
      pulse.look();
    }
    assertThat(sink.of(ServingEvent.class))
        .extracting(event -> event.getKind().name())
        .containsExactly("PREEMPTION_PRESSURE", "CACHE_EVICTIONS");
    assertThat(sink.of(ServingEvent.class).get(1).getAttributes())
        .containsEntry("count", "" + NodePulse.EVICTION_STORM)
        .containsEntry("window_seconds", "10");
    assertThat(sink.rejected()).isEmpty();
  }
}
