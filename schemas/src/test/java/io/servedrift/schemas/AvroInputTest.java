package io.servedrift.schemas;

import static io.servedrift.schemas.Given.accepted;
import static io.servedrift.schemas.Given.contractRequest;
import static io.servedrift.schemas.Given.read;
import static io.servedrift.schemas.Given.rejected;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Watermark;
import java.time.Instant;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Avro input meets the same constraints as JSON. */
class AvroInputTest {
  private static Reading changed(Consumer<RequestEvent> change) {
    RequestEvent e = (RequestEvent) accepted(read(contractRequest())).event();
    change.accept(e);
    return new EventReader().read(EventCodec.encode(e));
  }

  private static void assertRejected(Consumer<RequestEvent> change, String reason, String detail) {
    Reading.Rejected r = rejected(changed(change));
    assertThat(r.detail()).isEqualTo(detail);
    assertThat(r.reason()).isEqualTo(reason);
  }

  @Test
  void checksConstraints() {
    assertRejected(
        e -> e.setRequestId(""),
        "bad_value",
        "request_id=text of 0 characters: must be text, not empty, at most 256 characters");
    assertRejected(
        e -> e.setQueueSeconds(Double.NaN),
        "bad_value",
        "queue_seconds=NaN: must be a finite number between 0 and 86400");
    assertRejected(
        e -> e.getScores().put("clip", Double.POSITIVE_INFINITY),
        "bad_value",
        "scores.clip=Infinity: must be a finite number");
    assertRejected(
        e -> e.getBatch().getSegments().add(new BatchSegment(-1, 1)),
        "bad_value",
        "batch.segments[2].size=-1: must be a whole number, at least 0");
    assertRejected(
        e -> e.getWorkload().getAdapters().add("x".repeat(129)),
        "bad_value",
        "workload.adapters[1]=text of 129 characters: must be text, at most 128 characters");
    assertRejected(
        e -> e.setFinishedAt(Instant.EPOCH),
        "bad_time",
        "finished_at=1970-01-01T00:00:00Z: must be a time between 2000 and 2100:"
            + " ISO-8601 with zone (2026-11-30T10:00:00.120Z) or epoch milliseconds; "
            + "finished_at=1970-01-01T00:00:00Z: must be at or after arrived_at=2026-11-30T10:00:00.120Z");
  }

  @Test
  void checksRulesBetweenFields() {
    Reading.Rejected r = rejected(changed(e -> e.setLatencySeconds(3410.0)));
    assertThat(r.reason()).isEqualTo("wrong_unit");
    assertThat(((Reading.Accepted) changed(e -> e.getCache().setHit(false))).cacheConflicts())
        .isEqualTo(1);
  }

  @Test
  void rejectsRecordsThatAreNoInput() {
    Instant t = Instant.parse("2026-11-30T10:00:00Z");
    Reading.Rejected r =
        rejected(new EventReader().read(EventCodec.encode(new Watermark(0, 1, t, t))));
    assertThat(r.reason()).isEqualTo("unknown_type");
  }

  @Test
  void checksDictionaryEntries() {
    ConfigRecord c =
        (ConfigRecord)
            accepted(
                    read(
                        "{'type':'config','at':'2026-11-30T10:00:00Z','deployment':'d','config':{'batching':{'mode':'static'}}}"))
                .event();
    assertThat(accepted(new EventReader().read(EventCodec.encode(c))).event()).isEqualTo(c);

    c.setConfigId("0123456789abcdef");
    Reading.Rejected r = rejected(new EventReader().read(EventCodec.encode(c)));
    assertThat(r.detail()).startsWith("config_id=0123456789abcdef: must be the fingerprint of");

    c.setConfigId(null);
    c.setCounted(null);
    assertThat(rejected(new EventReader().read(EventCodec.encode(c))).reason())
        .isEqualTo("missing_field");
  }

  @Test
  void saysWhatIsWrong_whenBytesAreNotARecord() {
    byte[] good = EventCodec.encode(accepted(read(contractRequest())).event());
    EventReader reader = new EventReader();

    byte[] cut = java.util.Arrays.copyOf(good, good.length - 1);
    assertThat(rejected(reader.read(cut)).reason()).isEqualTo("bad_avro");
    byte[] longer = java.util.Arrays.copyOf(good, good.length + 1);
    assertThat(rejected(reader.read(longer)).detail())
        .contains("1 bytes after the end of the record");
    byte[] foreign = good.clone();
    foreign[5] ^= 1;
    assertThat(rejected(reader.read(foreign)).reason()).isEqualTo("unknown_schema");
    assertThat(rejected(reader.read(java.util.Arrays.copyOf(good, 9))).reason())
        .isEqualTo("unknown_format");
    assertThat(rejected(reader.read(new byte[] {0, 0, 0, 0, 1, 2})).reason())
        .isEqualTo("registry_not_configured");
    assertThat(rejected(reader.read(new byte[0])).reason()).isEqualTo("unknown_format");
    assertThat(rejected(reader.read(null)).reason()).isEqualTo("unknown_format");
  }
}
