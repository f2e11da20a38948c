package io.servedrift.ingest.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Workload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class EventWeightTest {

  @Property(tries = 200)
  void boundsTheEncodedSize_whateverTheRequestHolds(
      @ForAll @StringLength(min = 1, max = 3_000) String id,
      @ForAll @Size(max = 40) List<@StringLength(max = 100) String> neighbours,
      @ForAll @Size(max = 20) Map<@StringLength(max = 20) String, Double> scores,
      @ForAll @IntRange(max = 30) int segments) {
    RequestEvent event = TestEvents.request(id);
    event.setScores(scores);
    event.setWorkload(
        Workload.newBuilder()
            .setModality("image")
            .setPromptHash(id)
            .setPromptClass(id)
            .setAdapters(neighbours)
            .setSeed(Long.MIN_VALUE)
            .setGuidanceScale(1e300)
            .build());
    event.setBatch(
        BatchComposition.newBuilder()
            .setNeighbours(neighbours)
            .setSegments(segments(segments))
            .build());

    int key = id.getBytes(StandardCharsets.UTF_8).length;
    assertThat(EventWeight.of(event)).isGreaterThanOrEqualTo(EventCodec.encode(event).length + key);
  }

  @Property(tries = 100)
  void boundsTheEncodedSize_ofWhatIsWalkedToo(
      @ForAll @Size(max = 20)
          Map<@StringLength(max = 20) String, @StringLength(max = 300) String> attributes) {
    ServingEvent event =
        ServingEvent.newBuilder()
            .setEventId("e-1")
            .setAt(TestEvents.NOON)
            .setDeployment("image-gen")
            .setKind(ServingEventKind.OTHER)
            .setAttributes(attributes)
            .build();

    assertThat(EventWeight.of(event)).isGreaterThanOrEqualTo(EventCodec.encode(event).length);
  }

  private static List<BatchSegment> segments(int count) {
    List<BatchSegment> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(new BatchSegment(Integer.MAX_VALUE, Integer.MAX_VALUE));
    }
    return all;
  }

  @Test
  void growsWithWhatTheEventHolds() {
    long small = EventWeight.of(TestEvents.request("r-1"));
    assertThat(EventWeight.of(TestEvents.large(10_000)) - small).isBetween(10_000L, 10_100L);
    // What makes a full buffer full early must stay small.
    assertThat(small).isLessThan(1_400);
  }
}
