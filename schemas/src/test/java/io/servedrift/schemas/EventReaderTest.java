package io.servedrift.schemas;

import static io.servedrift.schemas.Given.accepted;
import static io.servedrift.schemas.Given.contractRequest;
import static io.servedrift.schemas.Given.read;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EventReaderTest {
  @Test
  void readsEveryFieldOfTheContract() {
    Reading.Accepted reading = accepted(read(contractRequest()));

    RequestEvent e = (RequestEvent) reading.event();
    assertThat(reading.unknownFields()).isZero();
    assertThat(reading.cacheConflicts()).isZero();
    assertThat(e.getFinishedAt()).isEqualTo(Instant.parse("2026-11-30T10:00:03.530Z"));
    assertThat(e.getStatus()).isEqualTo(RequestStatus.OK);
    assertThat(e.getTimeToFirstTokenSeconds()).isNull();
    assertThat(e.getStageSeconds()).containsEntry("denoise", 2.95).hasSize(3);
    assertThat(e.getWorkload().getAdapters()).containsExactly("style-a");
    assertThat(e.getBatch().getSegments())
        .containsExactly(new BatchSegment(1, 4), new BatchSegment(8, 24));
    assertThat(e.getCache().getConditioning()).isEqualTo(CacheOutcome.HIT);
    assertThat(e.getOutput().getBytes()).isEqualTo(183211L);
  }

  @Test
  void writesWhatItReads_exceptNulls() {
    ObjectNode contract = contractRequest();
    RequestEvent e = (RequestEvent) accepted(read(contract)).event();

    ObjectNode written = EventJson.toJson(e);

    assertThat(accepted(read(written)).event()).isEqualTo(e);
    assertThat(written.fieldNames().next()).isEqualTo("type");
    assertThat(written.has("error")).isFalse();
    assertThat(written.get("cache")).isEqualTo(contract.get("cache"));
  }

  @Test
  void readsAvroToTheSameEvent() {
    RequestEvent e = (RequestEvent) accepted(read(contractRequest())).event();

    byte[] bytes = EventCodec.encode(e);

    assertThat(bytes).startsWith(0xC3, 0x01);
    assertThat(accepted(new EventReader().read(bytes)).event()).isEqualTo(e);
  }
}
