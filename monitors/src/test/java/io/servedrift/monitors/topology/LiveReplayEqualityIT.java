package io.servedrift.monitors.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.pane.TestEvents;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Tag;

/**
 * Every step that a judge takes is a finding, chained to the step before: equal findings mean that
 * the judge took the same steps in the same order.
 */
@Tag("alone")
class LiveReplayEqualityIT extends LiveReplayEquality {
  LiveReplayEqualityIT() {
    super(Judged.CHAIN, traffic());
  }

  /** Serving events and decisions among requests and scores. */
  private static List<SpecificRecord> traffic() {
    Duration length = Duration.ofMinutes(75);
    List<SpecificRecord> events = new ArrayList<>(TestEvents.traffic(20260301, length, 10));
    for (int i = 0; i * 100L < length.toSeconds(); i++) {
      Instant at = TestEvents.START.plusMillis(i * 100_000L + 137);
      events.add(
          i % 7 == 0
              ? Decision.newBuilder()
                  .setDecisionId("d-" + i)
                  .setAt(at)
                  .setDeployment("image-gen")
                  .setKind(DecisionKind.ACCEPT)
                  .build()
              : new ServingEvent(
                  "e-" + i, at, "image-gen", null, ServingEventKind.CACHE_FLUSH, Map.of()));
    }
    events.sort(Comparator.comparing(EventTimes::of));
    return events;
  }

  @Override
  void isWorthComparing(List<Finding> findings) {
    assertThat(findings).hasSizeGreaterThan(150);
  }

  @Override
  Range afterTheCheckpoint() {
    return new Range(
        TestEvents.START.plus(Duration.ofMinutes(65)),
        TestEvents.START.plus(Duration.ofMinutes(72)));
  }
}
