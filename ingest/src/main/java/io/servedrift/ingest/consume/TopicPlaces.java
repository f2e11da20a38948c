package io.servedrift.ingest.consume;

import io.servedrift.ingest.adapters.Adapter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What of a topic would have to be read again: the records that an adapter holds, and those that
 * were held before a restart and have not come by since. A record is kept for {@link #LONGEST} at
 * most: one with a clock far ahead waits for ever, and must not hold the place back as long. Not
 * thread-safe.
 */
final class TopicPlaces {
  /** Longer than any adapter waits by a right clock. */
  static final Duration LONGEST = Duration.ofMinutes(20);

  private static final Duration BETWEEN_MARKS = Duration.ofMinutes(1);

  private record Mark(Instant at, Map<TopicPartition, Long> positions) {}

  private final Map<TopicPartition, TopicPlace> begun = new HashMap<>();
  private final Deque<Mark> marks = new ArrayDeque<>();
  private Map<TopicPartition, Long> kept = Map.of();
  private int mostCharacters = TopicPlace.MOST_CHARACTERS;

  /** Reading begins at a place. */
  void begin(TopicPartition partition, TopicPlace place) {
    begun.put(partition, place);
  }

  /**
   * The record that was to be read is there no more.
   *
   * @param missing its offset
   * @param first the first one that is there
   */
  void skip(TopicPartition partition, long missing, long first) {
    TopicPlace place = begun.get(partition);
    marks.clear();
    kept = Map.of();
    begun.put(
        partition, place == null || missing > first ? TopicPlace.at(first) : place.from(first));
  }

  /** Whether the record was done with before the restart. */
  boolean isDone(TopicPartition partition, long offset) {
    TopicPlace place = begun.get(partition);
    return place != null && place.isDone(offset);
  }

  /** The broker takes less metadata than most do. */
  void takeLess() {
    mostCharacters = Math.max(100, mostCharacters / 2);
  }

  /**
   * The places to be committed.
   *
   * @param positions of the next record to be read
   * @param adapter that may hold records; null for lines of the contract
   */
  Map<TopicPartition, TopicPlace> at(
      Map<TopicPartition, Long> positions, @Nullable Adapter adapter, Instant now) {
    age(positions, now);
    Map<TopicPartition, NavigableSet<Long>> waiting = new HashMap<>();
    Map<Integer, NavigableSet<Long>> byNumber = new HashMap<>();
    for (TopicPartition partition : positions.keySet()) {
      NavigableSet<Long> held = new TreeSet<>();
      waiting.put(partition, held);
      byNumber.put(partition.partition(), held);
    }
    if (adapter != null) {
      adapter.held(
          line -> {
            NavigableSet<Long> held = byNumber.get(line.file());
            if (held != null) {
              held.add(line.number());
            }
          });
    }
    Map<TopicPartition, TopicPlace> places = new HashMap<>();
    positions.forEach(
        (partition, position) ->
            places.put(
                partition, place(partition, position, waiting.getOrDefault(partition, none()))));
    return places;
  }

  private static NavigableSet<Long> none() {
    return new TreeSet<>();
  }

  private TopicPlace place(TopicPartition partition, long position, NavigableSet<Long> waiting) {
    TopicPlace before = begun.getOrDefault(partition, TopicPlace.at(position));
    long first = Math.max(before.offset(), kept.getOrDefault(partition, 0L));
    waiting.headSet(first, false).clear();
    // A topic that was made anew begins at 0, and what is held stood in the old one.
    waiting.tailSet(position, true).clear();
    waiting.addAll(before.held().tailSet(position, true));
    return TopicPlace.of(Math.max(position, before.readUpTo()), waiting, mostCharacters);
  }

  private void age(Map<TopicPartition, Long> positions, Instant now) {
    Mark newest = marks.peekLast();
    if (newest == null || !newest.at().plus(BETWEEN_MARKS).isAfter(now)) {
      marks.add(new Mark(now, Map.copyOf(positions)));
    }
    while (!marks.isEmpty() && marks.getFirst().at().plus(LONGEST).isBefore(now)) {
      kept = marks.removeFirst().positions();
    }
  }
}
