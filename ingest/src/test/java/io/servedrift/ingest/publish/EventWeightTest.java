package io.servedrift.ingest.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.RequestEvent;
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
  void boundsTheEncodedSize_whateverTheEventHolds(
      @ForAll @StringLength(min = 1, max = 200) String id,
      @ForAll @Size(max = 40) List<@StringLength(max = 100) String> neighbours,
      @ForAll @Size(max = 20) Map<@StringLength(max = 20) String, Double> scores,
      @ForAll @IntRange(max = 30) int segments) {
    RequestEvent event = TestEvents.request(id);
    event.setScores(scores);
    event.setBatch(
        BatchComposition.newBuilder()
            .setNeighbours(neighbours)
            .setSegments(segments(segments))
            .build());

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
    // A thousand of them fit into a megabyte.
    assertThat(small).isLessThan(1_000);
  }
}
