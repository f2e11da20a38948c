package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.servedrift.monitors.gate.RegimeCell;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.Workload;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordedTrafficTest {
  private static final Instant START = Instant.parse("2026-11-30T10:00:00Z");

  private static RequestEvent request(double at, double latency, String hash, boolean synthetic) {
    Workload workload = Workload.newBuilder().setPromptClass("a").setPromptHash(hash).build();
    return RequestEvent.newBuilder()
        .setRequestId("r" + at)
        .setDeployment("d")
        .setFinishedAt(START.plusMillis(Math.round(1000 * (at + latency))))
        .setLatencySeconds(latency)
        .setStatus(RequestStatus.OK)
        .setSynthetic(synthetic)
        .setWorkload(workload)
        .build();
  }

  @Test
  void knowsArrivalsRateConcurrencyAndRepeats() {
    RecordedTraffic.Collector collector = new RecordedTraffic.Collector("f");
    // In the order of their ends; the second arrived first.
    collector.add(request(2, 1, "p1", false));
    collector.add(request(0, 4, "p2", false));
    collector.add(request(4, 2, "p1", false));
    collector.add(request(5, 1, "p9", true));
    RecordedTraffic traffic = collector.traffic();

    assertThat(traffic.gapsSeconds()).containsExactly(2.0, 2.0);
    assertThat(traffic.profile().repeatShare()).isCloseTo(1.0 / 3, offset(1e-12));
    assertThat(traffic.profile().classes()).isEqualTo(Map.of("a", 3L));
    assertThat(traffic.profile().requests())
        .isEqualTo(Map.of(new RegimeCell("unknown", "unknown", "unknown"), 3L));
    // Seconds are no busiest minute; 7 s of work in 4 s.
    assertThat(traffic.peakPerSecond()).isNull();
    assertThat(traffic.concurrency()).isCloseTo(7.0 / 4, offset(1e-12));
  }

  @Test
  void takesTheBusiestMinuteForThePeak() {
    RecordedTraffic.Collector collector = new RecordedTraffic.Collector("f");
    for (int i = 0; i < 10; i++) {
      collector.add(request(60.0 * i, 0, "p" + i, false));
    }
    for (int i = 0; i < 120; i++) {
      collector.add(request(1_000 + .25 * i, 0, "q" + i, false));
    }

    assertThat(collector.traffic().peakPerSecond()).isCloseTo(120 / 60.0, offset(1e-12));
  }

  @Test
  void knowsNoGaps_whenThereIsOneRequest() {
    RecordedTraffic.Collector collector = new RecordedTraffic.Collector("f");
    collector.add(request(0, 1, "p", false));

    assertThat(collector.traffic().gapsSeconds()).isEmpty();
    assertThat(collector.traffic().peakPerSecond()).isNull();
    assertThat(collector.traffic().concurrency()).isNull();
  }
}
