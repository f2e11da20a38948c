package io.servedrift.monitors.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Tick;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class RangeEndTest {
  private static final Instant UNTIL = Instant.parse("2026-11-30T10:00:00Z");
  private static final Manifest.Range RANGE =
      new Manifest.Range(
          "c", "p", UNTIL.minusSeconds(3600), UNTIL.minusSeconds(60), Instant.EPOCH, UNTIL);

  private final RangeEnd end = new RangeEnd(ArchiveRole.REQUESTS, RANGE, new EventReader(), 3);

  @Test
  void aTickBehindTheEndEndsIt() {
    assertThat(end.countsAsEvent(record(UNTIL, EventCodec.encode(new Tick(UNTIL))))).isFalse();
    assertThat(end.reached()).isFalse();
    Instant after = UNTIL.plusMillis(1);
    end.countsAsEvent(record(after, EventCodec.encode(new Tick(after))));
    assertThat(end.reached()).isTrue();
  }

  @Test
  void aTickInJsonEndsItToo() {
    String tick = "{\"type\":\"tick\",\"at\":\"2026-11-30T10:00:01Z\"}";
    end.countsAsEvent(record(UNTIL.plusSeconds(1), tick.getBytes(StandardCharsets.UTF_8)));
    assertThat(end.reached()).isTrue();
  }

  @Test
  void recordsOfAWrongClockDoNotEndIt_whileThereAreTicks() {
    Instant ahead = UNTIL.plusSeconds(86_400);
    for (int i = 0; i < 10; i++) {
      assertThat(end.countsAsEvent(record(ahead, request(ahead)))).isFalse();
      Instant at = UNTIL.minusSeconds(100 - i);
      end.countsAsEvent(record(at, EventCodec.encode(new Tick(at))));
    }
    assertThat(end.reached()).isFalse();
  }

  @Test
  void moreRecordsThanMayWaitEndIt_withoutTicks() {
    Instant ahead = UNTIL.plusSeconds(1);
    for (int i = 0; i < 3; i++) {
      end.countsAsEvent(record(ahead, request(ahead)));
      end.countsAsEvent(record(ahead, "rubbish".getBytes(StandardCharsets.UTF_8)));
    }
    assertThat(end.reached()).isFalse();
    end.countsAsEvent(record(ahead, request(ahead)));
    assertThat(end.reached()).isTrue();
  }

  @Test
  void eventsCountWhenTheirTimeLiesInTheRange() {
    Instant from = UNTIL.minusSeconds(3600);
    assertThat(end.countsAsEvent(record(from, request(from)))).isTrue();
    Instant before = from.minusMillis(1);
    assertThat(end.countsAsEvent(record(before, request(before)))).isFalse();
    Instant to = UNTIL.minusSeconds(60);
    assertThat(end.countsAsEvent(record(to, request(to)))).isFalse();
  }

  @Test
  void whatIsNoRequestAndNoScoreDoesNotCount() {
    Instant at = UNTIL.minusSeconds(3600);
    byte[] event =
        """
        {"type":"serving_event","event_id":"e","deployment":"d","kind":"cache_flush","at":"%s"}
        """
            .formatted(at)
            .getBytes(StandardCharsets.UTF_8);
    assertThat(new EventReader().read(event)).isInstanceOf(Reading.Accepted.class);
    for (byte[] value : new byte[][] {event, "rubbish".getBytes(StandardCharsets.UTF_8), null}) {
      assertThat(end.countsAsEvent(record(at, value))).isFalse();
    }
    byte[] score =
        """
        {"type":"score","request_id":"r","deployment":"d","name":"quality","value":0.5,\
        "scorer":"s-1","scored_at":"%s"}
        """
            .formatted(at)
            .getBytes(StandardCharsets.UTF_8);
    assertThat(end.countsAsEvent(record(at, score))).isTrue();
  }

  private static byte[] request(Instant at) {
    return """
    {"type":"request","request_id":"r","deployment":"d","finished_at":"%s","status":"ok",\
    "latency_seconds":1.5}
    """
        .formatted(at)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static ConsumerRecord<byte[], byte[]> record(Instant at, byte[] value) {
    return Records.record("p-requests-v1", 0, 1, at, value);
  }
}
