package io.servedrift.ingest.follow;

import java.util.Map;

/**
 * What became of followed lines or records; {@code lines} counts those that are not blank.
 *
 * @param lines taken from files or a topic
 * @param published events that the broker has
 * @param rejected records that became a dead letter, by reason
 * @param skipped records that give no event of their own, by explanation
 * @param notes what was left out of events, by explanation
 */
public record FollowCounts(
    long lines,
    long published,
    Map<String, Long> rejected,
    Map<String, Long> skipped,
    Map<String, Long> notes) {
  public FollowCounts {
    rejected = Map.copyOf(rejected);
    skipped = Map.copyOf(skipped);
    notes = Map.copyOf(notes);
  }
}
