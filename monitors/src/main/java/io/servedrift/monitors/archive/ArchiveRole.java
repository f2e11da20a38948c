package io.servedrift.monitors.archive;

import io.servedrift.schemas.Topics;
import java.util.function.Function;

/** The topics that an archive keeps: what a replay needs to decide the same again. */
public enum ArchiveRole {
  /** Requests, heartbeats and ticks. */
  REQUESTS("requests", Topics::requests),
  /** Late scores and ticks. */
  SCORES("scores", Topics::scores),
  /** Serving events, decisions and ticks. */
  SERVING_EVENTS("serving-events", Topics::servingEvents),
  /** What ids mean; kept whole, whatever the range. */
  CONFIGS("configs", Topics::configs),
  /** The checkpoints of the judge before the range. */
  JUDGE_STATE("judge-state", Topics::judgeState);

  private final String word;

  @SuppressWarnings("ImmutableEnumChecker") // a method reference
  private final Function<Topics, String> topic;

  ArchiveRole(String word, Function<Topics, String> topic) {
    this.word = word;
    this.topic = topic;
  }

  /** The name in the manifest and at the beginning of file names. */
  public String word() {
    return word;
  }

  /** Name of the topic. */
  public String topic(Topics topics) {
    return topic.apply(topics);
  }

  /**
   * The role of this name.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static ArchiveRole of(String word) {
    for (ArchiveRole role : values()) {
      if (role.word.equals(word)) {
        return role;
      }
    }
    throw new IllegalArgumentException("role " + word + ": is none of an archive");
  }
}
