package io.servedrift.ingest.follow;

import java.util.Map;

/**
 * What became of followed lines or records; {@code lines} counts those that are not blank.
 *
 * @param lines taken from files or a topic
 * @param publishedByTopic records that the broker has, by the topic they are in: events, what ids
 *     mean, and dead letters
 * @param rejected records that became a dead letter, by reason
 * @param skipped records that give no event of their own, by explanation
 * @param notes what was left out of events, by explanation
 */
public record FollowCounts(
    long lines,
    Map<String, Long> publishedByTopic,
    Map<String, Long> rejected,
    Map<String, Long> skipped,
    Map<String, Long> notes) {
  public FollowCounts {
    publishedByTopic = Map.copyOf(publishedByTopic);
    rejected = Map.copyOf(rejected);
    skipped = Map.copyOf(skipped);
    notes = Map.copyOf(notes);
  }

  /** Records that the broker has, over all topics. */
  public long published() {
    return publishedByTopic.values().stream().mapToLong(Long::longValue).sum();
  }
}
