package io.servedrift.monitors.gate;

import java.util.List;

/**
 * What to do, read after the gate passed, against the policy's quality bar.
 *
 * @param advice which of the answers
 * @param text the sentence
 * @param scores the clean single-request regime and production against the bar
 */
public record BarSentence(Advice advice, String text, List<Measure> scores) {
  public BarSentence {
    scores = List.copyOf(scores);
  }

  /** The answers there are. */
  public enum Advice {
    CHANGE_THE_SERVING_LAYER,
    RETRAIN,
    NEITHER,
    CANNOT_TELL
  }
}
