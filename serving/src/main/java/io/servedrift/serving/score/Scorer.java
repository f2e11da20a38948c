package io.servedrift.serving.score;

import java.util.List;
import java.util.Map;

/** Scores images against their prompts. Implementations are thread-safe. */
public interface Scorer {

  /** Cosine of the embeddings of image and prompt, -1 to 1. */
  String CLIP = "clip";

  /** How pleasant the image is to look at, whatever was asked for; the unit is the head's own. */
  String AESTHETIC = "aesthetic";

  /**
   * Who gives each score, {@code name@digest}: the name of the scorer and the first eight hex
   * digits of its digest. The keys are those of {@link ImageScores#values()}.
   */
  Map<String, String> scorers();

  /**
   * Scores these, in their order; waits while others are being scored.
   *
   * @param inputs any number; worked on in batches
   * @return one per input
   */
  List<ImageScores> score(List<ScoreInput> inputs);
}
