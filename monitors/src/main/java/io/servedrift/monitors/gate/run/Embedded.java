package io.servedrift.monitors.gate.run;

import java.util.Map;

/**
 * What a scorer says of one image. Immutable by convention: nobody writes into the array.
 *
 * @param scores by name
 * @param scorers who gave them, by the score's name
 * @param embedding of the image, empty when it gives none
 */
@SuppressWarnings("ArrayRecordComponent")
record Embedded(Map<String, Double> scores, Map<String, String> scorers, float[] embedding) {
  Embedded {
    scores = Map.copyOf(scores);
    scorers = Map.copyOf(scorers);
  }
}
