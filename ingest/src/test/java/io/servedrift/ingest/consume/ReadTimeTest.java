package io.servedrift.ingest.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ReadTimeTest {
  private static final TopicPartition ONE = new TopicPartition("t", 1);
  private static final TopicPartition TWO = new TopicPartition("t", 2);
  private static final Instant START = Instant.parse("2026-09-20T10:00:00Z");
  private static final Instant NOW = START.plusSeconds(3_600);

  private final ReadTime time = new ReadTime();

  private static long milli(long second) {
    return START.plusSeconds(second).toEpochMilli();
  }

  @Test
  void isThatOfThePartitionFurthestBehind() {
    time.add(ONE);
    time.add(TWO);
    assertThat(time.now()).isEqualTo(Instant.EPOCH);

    time.atEnd(ONE, NOW);
    assertThat(time.now()).as("nothing of the other is known").isEqualTo(Instant.EPOCH);
    time.read(TWO, milli(10), NOW);
    assertThat(time.now()).isEqualTo(START.plusSeconds(10));
    assertThat(time.ahead()).containsExactly(ONE);
    time.atEnd(TWO, NOW.plusMillis(500));
    assertThat(time.now()).isEqualTo(NOW);
    assertThat(time.ahead()).isEmpty();
  }

  @Test
  void neitherRunsBackwardsNorAheadOfTheClock() {
    time.add(ONE);
    time.read(ONE, milli(20), NOW);
    time.read(ONE, milli(10), NOW);
    assertThat(time.now()).isEqualTo(START.plusSeconds(20));
    time.read(ONE, -1, NOW);
    assertThat(time.now()).isEqualTo(START.plusSeconds(20));
    time.read(ONE, milli(9_999), NOW);
    assertThat(time.now()).isEqualTo(NOW);
  }

  @Test
  void tellsWhenARecordCame_whateverTheClockOfItsNode() {
    time.add(ONE);
    assertThat(time.came(ONE, milli(10), NOW)).as("backlog").isEqualTo(START.plusSeconds(10));
    assertThat(time.came(ONE, milli(9_999), NOW)).as("fast").isEqualTo(NOW);
    assertThat(time.came(ONE, -1, NOW)).as("none").isEqualTo(NOW);
    time.atEnd(ONE, NOW.minusSeconds(1));
    assertThat(time.came(ONE, milli(10), NOW)).as("slow").isEqualTo(NOW.minusSeconds(1));
  }
}
