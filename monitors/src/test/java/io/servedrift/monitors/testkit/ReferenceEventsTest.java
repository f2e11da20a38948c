package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.pane.Covariate;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.RequestEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReferenceEventsTest {
  private static final Instant START = Instant.parse("2026-03-02T00:00:00Z");

  @Test
  void saysWhatTheColumnsSay_whenWrittenAsEvents() {
    ReferenceTraffic traffic = ReferenceTraffic.of(3, 1, ReferenceTraffic.Regime.REAL, 20);
    List<RequestEvent> events = new ArrayList<>();
    ReferenceEvents.run(traffic, "image-gen", START, events::add);
    EventReader reader = new EventReader();
    int[] next = {0};
    traffic.forEachMinute(
        m -> {
          for (int i = 0; i < m.size(); i++) {
            RequestEvent event = events.get(next[0]++);
            assertThat(event.getFinishedAt())
                .isBetween(
                    START.plusSeconds(60L * m.index()), START.plusSeconds(60L * m.index() + 60));
            assertThat(event.getScores()).containsEntry("clip", m.clip(i));
            assertThat(event.getLatencySeconds()).isEqualTo(m.latencySeconds(i));
            assertThat(Covariate.CACHE.bucketOf(event)).isEqualTo(m.hit(i) ? "hit" : "miss");
            assertThat(Covariate.PREEMPTED.bucketOf(event))
                .isEqualTo(m.preempted(i) ? "yes" : "no");
            assertThat(event.getBatch().getSizeMax()).isEqualTo(m.batch(i));
            assertThat(reader.read(EventCodec.encode(event))).isInstanceOf(Reading.Accepted.class);
          }
        });
    assertThat(events).hasSize(next[0]);
    for (int i = 1; i < events.size(); i++) {
      assertThat(events.get(i).getFinishedAt()).isAfterOrEqualTo(events.get(i - 1).getFinishedAt());
    }
  }
}
