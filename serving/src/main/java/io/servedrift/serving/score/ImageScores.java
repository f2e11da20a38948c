package io.servedrift.serving.score;

import java.util.Map;

/**
 * What a scorer says of one image.
 *
 * @param values score by name, {@code clip} and {@code aesthetic}; NaN when the towers gave no
 *     finite answer
 * @param embedding the image's embedding, of length 1; not copied
 */
@SuppressWarnings("ArrayRecordComponent")
public record ImageScores(Map<String, Double> values, float[] embedding) {

  public ImageScores {
    values = Map.copyOf(values);
  }

  /** Whether every score is a number that can be published. */
  public boolean finite() {
    return values.values().stream().allMatch(Double::isFinite);
  }
}
