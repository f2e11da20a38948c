package io.servedrift.ingest.consume;

import io.servedrift.ingest.adapters.Adapter;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What of a topic would have to be read again: the records that an adapter holds, and those that
 * were held before a restart and have not come by since. Not thread-safe.
 */
final class TopicPlaces {
  private static final int LEAST_CHARACTERS = 100;

  private final Map<TopicPartition, TopicPlace> begun = new HashMap<>();
  private int mostCharacters = TopicPlace.MOST_CHARACTERS;

  /** Reading begins at a place. */
  void begin(TopicPartition partition, TopicPlace place) {
    begun.put(partition, place);
  }

  /** Retention took what was before an offset. */
  void skip(TopicPartition partition, long first) {
    begun.computeIfPresent(partition, (p, place) -> place.from(first));
  }

  /** The log was cut at an offset. */
  void cut(TopicPartition partition, long end) {
    begun.computeIfPresent(partition, (p, place) -> place.upTo(end));
  }

  /** Whether the record was done with before the restart. */
  boolean isDone(TopicPartition partition, long offset) {
    TopicPlace place = begun.get(partition);
    return place != null && place.isDone(offset);
  }

  /**
   * The broker takes less metadata than most do.
   *
   * @return false when less cannot be told
   */
  boolean takeLess() {
    boolean possible = mostCharacters > LEAST_CHARACTERS;
    mostCharacters = Math.max(LEAST_CHARACTERS, mostCharacters / 2);
    return possible;
  }

  /**
   * The places to be committed.
   *
   * @param positions of the next record to be read
   * @param adapter that may hold records; null for lines of the contract
   */
  Map<TopicPartition, TopicPlace> at(
      Map<TopicPartition, Long> positions, @Nullable Adapter adapter) {
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
    waiting.headSet(before.offset(), false).clear();
    // A topic that was made anew begins at 0, and what is held stood in the old one.
    waiting.tailSet(position, true).clear();
    waiting.addAll(before.held().tailSet(position, true));
    return TopicPlace.of(Math.max(position, before.readUpTo()), waiting, mostCharacters);
  }
}
