package io.servedrift.monitors.gate;

import java.util.List;

/**
 * What moved the quality, by holding the model fixed and varying the configuration.
 *
 * @param verdict which of the answers
 * @param text the sentence
 * @param because what it rests on, one sentence each
 */
public record DecidingSentence(Verdict verdict, String text, List<String> because) {
  public DecidingSentence {
    because = List.copyOf(because);
  }

  /** The answers there are. */
  public enum Verdict {
    SERVING_LAYER,
    BATCHING_OR_CACHING,
    MODEL,
    NO_GAP,
    CANNOT_TELL
  }
}
