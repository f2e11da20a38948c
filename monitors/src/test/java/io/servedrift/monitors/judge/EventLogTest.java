package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.attribution.EventWeights;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private static final Instant ONSET = Instant.parse("2026-03-02T10:00:00Z");

  private static ServingEvent event(
      String id, ServingEventKind kind, Map<String, String> attributes) {
    return new ServingEvent(id, ONSET.minusSeconds(2), "d", "node-0", kind, attributes);
  }

  private static List<String> near(ServingEvent... events) {
    EventLog log = new EventLog();
    long onset = Micros.of(ONSET);
    log.observedSince(onset - Micros.DAY);
    for (ServingEvent event : events) {
      log.add(event);
    }
    return log.around(onset, onset, onset, false).correlated().stream()
        .map(EventWeights.Correlated::kind)
        .toList();
  }

  /** As the node says it when a demonstration switches a fault on: the answer, not evidence. */
  @Test
  void keepsAFaultOnPurposeOutOfWhatAFindingShows() {
    Map<String, String> fault = Map.of("kind", "fault", "fault", "slow-node", "state", "on");
    assertThat(
            near(
                event("1", ServingEventKind.OTHER, fault),
                event("2", ServingEventKind.OTHER, Map.of("kind", "driver_update")),
                event("3", ServingEventKind.CACHE_FLUSH, fault)))
        .containsExactlyInAnyOrder("driver_update", "cache_flush");
  }
}
