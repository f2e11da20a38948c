package io.servedrift.monitors.gate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One answer of an endpoint: one row of the journal. What is null is not known.
 *
 * @param arm the condition it belongs to
 * @param block number of the block, from 0; blocks of old and new alternate
 * @param load arrival rate as a multiple of the peak rate, for {@link Regime#OPEN_LOOP}
 * @param prompt what was asked
 * @param status how it ended
 * @param error short code such as {@code http_500}, {@code connect}, {@code not_an_image}; never a
 *     body
 * @param timing when, and how long
 * @param output what came back
 * @param scores by name, e.g. {@code clip}, {@code aesthetic}; {@code json_valid} and {@code
 *     answer_correct} are 0 or 1
 * @param scorers who gave a score, by the score's name
 * @param served what the endpoint says about how it served
 */
public record Answer(
    Arm arm,
    int block,
    @Nullable Double load,
    Prompt prompt,
    AnswerStatus status,
    @Nullable String error,
    Timing timing,
    @Nullable Output output,
    Map<String, Double> scores,
    Map<String, String> scorers,
    Served served) {

  public Answer {
    scores = Map.copyOf(scores);
    scorers = Map.copyOf(scorers);
  }

  /**
   * What was asked. Answers with the same index and seed are paired.
   *
   * @param index place in the prompt file, from 0
   * @param hash keyed hash of the text, as in events
   * @param promptClass stratum
   * @param seed seed given to the endpoint
   */
  public record Prompt(int index, @Nullable String hash, @Nullable String promptClass, long seed) {}

  /**
   * When and how long. Times are microseconds since the epoch.
   *
   * @param scheduledAtMicros when it should have been sent
   * @param sentAtMicros when it was sent
   * @param latencySeconds from the scheduled arrival to the last byte
   * @param serviceSeconds from sending to the last byte
   * @param firstTokenSeconds from the scheduled arrival to the first token
   */
  public record Timing(
      long scheduledAtMicros,
      long sentAtMicros,
      double latencySeconds,
      double serviceSeconds,
      @Nullable Double firstTokenSeconds) {}

  /**
   * What came back.
   *
   * @param digest SHA-256 of the decoded pixels, or of the text
   * @param file where the output is kept, relative to the run's folder
   * @param tokens of a chat answer, as the endpoint splits them
   */
  public record Output(
      @Nullable String digest, @Nullable String file, @Nullable List<String> tokens) {
    public Output {
      tokens = tokens == null ? null : List.copyOf(tokens);
    }
  }

  /**
   * What the endpoint says about how it served.
   *
   * @param batchSize mean batch size
   * @param cacheHit whether a cache took part
   * @param computeSeconds seconds of the node spent on this request alone
   * @param inFlight requests of the gate in flight when this one was sent, itself included
   */
  public record Served(
      @Nullable Double batchSize,
      @Nullable Boolean cacheHit,
      @Nullable Double computeSeconds,
      @Nullable Integer inFlight) {

    /** Nothing is known. */
    public static Served unknown() {
      return new Served(null, null, null, null);
    }
  }

  /** Whether it can be used: it came, and in time. */
  public boolean ok() {
    return status == AnswerStatus.OK;
  }

  /** The same answer with one more score. */
  public Answer withScore(String name, double value, String scorer) {
    Map<String, Double> more = new TreeMap<>(scores);
    more.put(name, value);
    Map<String, String> by = new TreeMap<>(scorers);
    by.put(name, scorer);
    return new Answer(arm, block, load, prompt, status, error, timing, output, more, by, served);
  }
}
