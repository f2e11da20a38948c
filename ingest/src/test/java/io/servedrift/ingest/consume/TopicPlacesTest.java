package io.servedrift.ingest.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterOutput;
import io.servedrift.ingest.adapters.SourceLine;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TopicPlacesTest {
  private static final TopicPartition ONE = new TopicPartition("t", 1);

  private final TopicPlaces places = new TopicPlaces();

  /** Holds records of partition 1. */
  private record Holding(List<Long> offsets) implements Adapter {
    @Override
    public void take(SourceLine line, AdapterOutput out) {}

    @Override
    public void held(Consumer<SourceLine> each) {
      offsets.forEach(offset -> each.accept(new SourceLine(new byte[0], 1, offset)));
    }
  }

  private TopicPlace at(long position, Long... held) {
    return places.at(Map.of(ONE, position), new Holding(List.of(held))).get(ONE);
  }

  private static TopicPlace place(long offset, long readUpTo, Long... held) {
    return new TopicPlace(offset, readUpTo, new TreeSet<>(List.of(held)), 0);
  }

  @Test
  void keepsWhatWaited_untilItHasComeByAgain() {
    places.begin(ONE, place(10, 100, 10L, 50L, 90L));

    assertThat(places.isDone(ONE, 49)).isTrue();
    assertThat(places.isDone(ONE, 50)).isFalse();
    assertThat(at(60, 10L)).isEqualTo(place(10, 100, 10L, 90L));
    assertThat(at(60)).isEqualTo(place(90, 100, 90L));
    assertThat(at(120, 90L)).isEqualTo(place(90, 120, 90L));
    assertThat(at(120)).isEqualTo(TopicPlace.at(120));
  }

  @Test
  void forgetsWhatRetentionTook_butNotWhatWasDone() {
    places.begin(ONE, place(10, 100, 10L, 50L));
    places.skip(ONE, 40);

    assertThat(places.isDone(ONE, 41)).isTrue();
    assertThat(at(41, 10L)).isEqualTo(place(50, 100, 50L));
  }

  @Test
  void forgetsWhatTheBrokerLost_butNotWhatWaitsBefore() {
    places.begin(ONE, place(10, 100, 10L, 90L));
    places.cut(ONE, 80);

    assertThat(places.isDone(ONE, 79)).isTrue();
    assertThat(places.isDone(ONE, 80)).isFalse();
    assertThat(at(81, 10L, 90L)).isEqualTo(place(10, 81, 10L));
  }
}
