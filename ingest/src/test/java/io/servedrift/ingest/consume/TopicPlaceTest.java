package io.servedrift.ingest.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.NavigableSet;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

class TopicPlaceTest {
  private static NavigableSet<Long> offsets(long... each) {
    NavigableSet<Long> offsets = new TreeSet<>();
    for (long offset : each) {
      offsets.add(offset);
    }
    return offsets;
  }

  @Test
  void goesOnAtTheFirstThatWaits_andKnowsTheOthers() {
    TopicPlace place = TopicPlace.of(1_000, offsets(40, 41, 900), TopicPlace.MOST_CHARACTERS);

    assertThat(place.offset()).isEqualTo(40);
    OffsetAndMetadata committed = place.toCommit();
    assertThat(committed.offset()).isEqualTo(40);
    // A run at step 0 of 1 more, one at step 859: 2 * 0 + 1, 1, 2 * 859 as varints: 01 01 b6 0d.
    assertThat(committed.metadata()).isEqualTo("servedrift-1:1000:0:AQG2DQ");
    TopicPlace read = TopicPlace.of(committed);
    assertThat(read).isEqualTo(place);
    assertThat(read.isDone(41)).isFalse();
    assertThat(read.isDone(42)).isTrue();
    assertThat(read.isDone(999)).isTrue();
    assertThat(read.isDone(1_000)).isFalse();
  }

  @Test
  void goesOnAtTheEnd_whenNothingWaits() {
    OffsetAndMetadata committed = TopicPlace.of(7, offsets(), 4_000).toCommit();

    assertThat(committed).isEqualTo(new OffsetAndMetadata(7, "servedrift-1:7:0:"));
  }

  @Test
  void countsTheOldest_whenTheyDoNotFit() {
    NavigableSet<Long> waiting = new TreeSet<>();
    for (long offset = 0; offset < 20_000; offset++) {
      waiting.add(offset * 200);
    }

    TopicPlace place = TopicPlace.of(4_000_000, waiting, TopicPlace.MOST_CHARACTERS);

    assertThat(place.toCommit().metadata()).hasSizeBetween(3_950, TopicPlace.MOST_CHARACTERS);
    assertThat(place.held()).hasSizeGreaterThan(1_400).contains(3_999_800L).doesNotContain(0L);
    assertThat(place.unnamed()).isEqualTo(20_000 - place.held().size());
    assertThat(TopicPlace.of(place.toCommit())).isEqualTo(place);
  }

  @Test
  void namesAll_whereNoRequestOfAnOutageGetsAResponse() {
    NavigableSet<Long> waiting = new TreeSet<>();
    for (long offset = 5; offset < 20_000; offset++) {
      if (offset % 1_000 != 0) {
        waiting.add(offset);
      }
    }

    TopicPlace place = TopicPlace.of(20_000, waiting, TopicPlace.MOST_CHARACTERS);

    assertThat(place.held()).isEqualTo(waiting);
    assertThat(place.unnamed()).isZero();
    assertThat(TopicPlace.of(place.toCommit())).isEqualTo(place);
  }

  @Test
  void takesAPlaceThatOthersCommitted_asItIs() {
    for (String metadata :
        new String[] {
          "",
          "x",
          "servedrift-1:3:0:",
          "servedrift-1:9:0:*",
          "servedrift-1:9::AA",
          "servedrift-1:9:0:CA"
        }) {
      assertThat(TopicPlace.of(new OffsetAndMetadata(5, metadata)))
          .as(metadata)
          .isEqualTo(TopicPlace.at(5));
    }
    assertThat(TopicPlace.of(new OffsetAndMetadata(5, "servedrift-1:9:0:A")))
        .as("no base64 of whole bytes")
        .isEqualTo(TopicPlace.at(5));
  }

  @Property(tries = 200)
  void survivesTheCommit(
      @ForAll @Size(max = 200) java.util.Set<@LongRange(min = 0, max = 1L << 40) Long> waiting,
      @ForAll @LongRange(min = 0, max = 1_000_000) long beyond) {
    NavigableSet<Long> held = new TreeSet<>(waiting);
    long readUpTo = (held.isEmpty() ? 0 : held.last() + 1) + beyond;

    TopicPlace place = TopicPlace.of(readUpTo, held, TopicPlace.MOST_CHARACTERS);

    assertThat(TopicPlace.of(place.toCommit())).isEqualTo(place);
    assertThat(place.held()).isEqualTo(held);
    assertThat(place.offset()).isEqualTo(held.isEmpty() ? readUpTo : held.first());
  }
}
