package io.servedrift.ingest.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterOutput;
import io.servedrift.ingest.adapters.SourceLine;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TopicPlacesTest {
  private static final TopicPartition ONE = new TopicPartition("t", 1);
  private static final Instant START = Instant.parse("2026-09-20T10:00:00Z");

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

  private TopicPlace at(long position, Instant now, Long... held) {
    return places.at(Map.of(ONE, position), new Holding(List.of(held)), now).get(ONE);
  }

  private static TopicPlace place(long offset, long readUpTo, Long... held) {
    return new TopicPlace(offset, readUpTo, new TreeSet<>(List.of(held)));
  }

  @Test
  void keepsWhatWaited_untilItHasComeByAgain() {
    places.begin(ONE, place(10, 100, 10L, 50L, 90L));

    assertThat(places.isDone(ONE, 49)).isTrue();
    assertThat(places.isDone(ONE, 50)).isFalse();
    assertThat(at(60, START, 10L)).isEqualTo(place(10, 100, 10L, 90L));
    assertThat(at(60, START)).isEqualTo(place(90, 100, 90L));
    assertThat(at(120, START, 90L)).isEqualTo(place(90, 120, 90L));
    assertThat(at(120, START)).isEqualTo(TopicPlace.at(120));
  }

  @Test
  void givesUpWhatWaitsForLongerThanAnyAdapterDoes() {
    places.begin(ONE, TopicPlace.at(0));
    for (int minute = 0; minute <= 20; minute++) {
      assertThat(at(10 + minute, START.plusSeconds(minute * 60L), 5L).offset()).isEqualTo(5);
    }

    assertThat(at(31, START.plusSeconds(1_261), 5L, 30L)).isEqualTo(place(30, 31, 30L));
  }

  @Test
  void forgetsWhatRetentionTook_butNotWhatWasDone() {
    places.begin(ONE, place(10, 100, 10L, 50L));
    places.skip(ONE, 10, 40);

    assertThat(places.isDone(ONE, 41)).isTrue();
    assertThat(at(41, START, 10L)).isEqualTo(place(50, 100, 50L));
  }

  @Test
  void beginsAnew_whenTheTopicIsAnother() {
    places.begin(ONE, place(90, 100, 90L));
    places.skip(ONE, 100, 0);

    assertThat(places.isDone(ONE, 0)).isFalse();
    assertThat(at(3, START, 1L, 90L)).isEqualTo(place(1, 3, 1L));
  }
}
