package io.servedrift.serving.score;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;

/**
 * Scores by the prompt, when let: {@code 0.25} becomes the clip score, {@code fail} an exception,
 * {@code error} an error.
 */
public final class GatedScorer implements Scorer {

  public final List<Integer> batches = new CopyOnWriteArrayList<>();
  public final Semaphore gate = new Semaphore(0);

  /** A scorer that waits for a permit per batch. */
  public static GatedScorer shut() {
    return new GatedScorer();
  }

  /** A scorer that never waits. */
  public static GatedScorer open() {
    GatedScorer scorer = new GatedScorer();
    scorer.gate.release(Integer.MAX_VALUE / 2);
    return scorer;
  }

  @Override
  public Map<String, String> scorers() {
    return Map.of(CLIP, "test@12345678", AESTHETIC, "test@12345678");
  }

  @Override
  public List<ImageScores> score(List<ScoreInput> inputs) {
    batches.add(inputs.size());
    gate.acquireUninterruptibly();
    return inputs.stream().map(GatedScorer::score).toList();
  }

  private static ImageScores score(ScoreInput input) {
    if (input.prompt().startsWith("error")) {
      throw new StackOverflowError("on purpose");
    }
    if (input.prompt().startsWith("fail")) {
      throw new IllegalStateException("cannot score " + input.prompt());
    }
    double clip = Double.parseDouble(input.prompt());
    return new ImageScores(Map.of(CLIP, clip, AESTHETIC, 5.5), new float[] {1, 0});
  }
}
