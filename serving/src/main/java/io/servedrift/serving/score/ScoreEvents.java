package io.servedrift.serving.score;

import io.servedrift.schemas.avro.ScoreEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes {@code score} events, one per score, for requests whose own event went before. */
public final class ScoreEvents {

  private ScoreEvents() {}

  /**
   * The events of one image.
   *
   * @param deployment of the request
   * @param requestId of the request
   * @param scores finite ones
   * @param scorers who gave each of them, see {@link Scorer#scorers()}
   * @param at when it was scored
   */
  public static List<ScoreEvent> of(
      String deployment,
      String requestId,
      ImageScores scores,
      Map<String, String> scorers,
      Instant at) {
    Instant scoredAt = at.truncatedTo(ChronoUnit.MICROS);
    List<ScoreEvent> events = new ArrayList<>();
    new TreeMap<>(scores.values())
        .forEach(
            (name, value) ->
                events.add(
                    ScoreEvent.newBuilder()
                        .setRequestId(requestId)
                        .setDeployment(deployment)
                        .setName(name)
                        .setValue(value)
                        .setScorer(scorers.get(name))
                        .setScoredAt(scoredAt)
                        .build()));
    return events;
  }
}
