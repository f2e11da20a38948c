package io.servedrift.serving.score;

import java.time.Duration;
import java.util.Map;

/**
 * What became of the images offered, at one instant. None is ever unaccounted for; in every
 * snapshot
 *
 * <pre>
 * offered = skipped + scored + dropped{every reason} + waiting + running
 * </pre>
 *
 * and after {@link AsyncScorer#close()} none waits or runs.
 *
 * @param offered images handed over
 * @param skipped images that the sampling did not select
 * @param scored images whose scores went to the sink
 * @param dropped images that were to be scored and were not, by reason
 * @param waiting images waiting now
 * @param waitingBytes bytes of the images waiting now
 * @param running images being scored now
 * @param batches batches scored, with success or without
 * @param busy time spent scoring
 * @param delay from handing over to scores, summed over the images scored
 * @param eventsAccepted score events that the sink took
 * @param eventsRefused score events that the sink dropped at once, and counted itself
 */
public record AsyncScorerCounts(
    long offered,
    long skipped,
    long scored,
    Map<ScoreDropReason, Long> dropped,
    int waiting,
    long waitingBytes,
    int running,
    long batches,
    Duration busy,
    Duration delay,
    long eventsAccepted,
    long eventsRefused) {

  public AsyncScorerCounts {
    dropped = Map.copyOf(dropped);
  }

  /** Images dropped for this reason. */
  public long dropped(ScoreDropReason reason) {
    return dropped.getOrDefault(reason, 0L);
  }
}
