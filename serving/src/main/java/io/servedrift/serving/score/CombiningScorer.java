package io.servedrift.serving.score;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Scores together what concurrent callers bring, so that callers with one image each get the
 * throughput of batches. Nobody waits for a batch to fill: while one batch runs, calls gather, and
 * the next caller to get its turn scores them all. When a batch fails, every call in it does.
 * Thread-safe.
 */
public final class CombiningScorer implements Scorer {

  private final Scorer scorer;
  private final int maxBatch;
  private final Queue<Call> waiting = new ConcurrentLinkedQueue<>();
  private final Object turn = new Object();

  /**
   * Combines calls of a scorer.
   *
   * @param scorer what scores, one batch at a time
   * @param maxBatch images after which no further call joins a batch, at least 1
   */
  public CombiningScorer(Scorer scorer, int maxBatch) {
    this.scorer = scorer;
    this.maxBatch = maxBatch;
  }

  @Override
  public Map<String, String> scorers() {
    return scorer.scorers();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when the batch fails; an error is thrown as it is
   */
  @Override
  public List<ImageScores> score(List<ScoreInput> inputs) {
    Call call = new Call(inputs);
    waiting.add(call);
    synchronized (turn) {
      // First come, first scored: calls that came before may fill more than one batch.
      while (!call.done()) {
        scoreTogether(next());
      }
    }
    return call.result();
  }

  /** Calls that wait for a batch. */
  int waiting() {
    return waiting.size();
  }

  private List<Call> next() {
    List<Call> calls = new ArrayList<>();
    int images = 0;
    for (Call head = waiting.peek(); head != null && images < maxBatch; head = waiting.peek()) {
      calls.add(waiting.remove());
      images += head.inputs.size();
    }
    return calls;
  }

  private void scoreTogether(List<Call> calls) {
    List<ScoreInput> inputs = calls.stream().flatMap(call -> call.inputs.stream()).toList();
    try {
      List<ImageScores> scores = scorer.score(inputs);
      int from = 0;
      for (Call call : calls) {
        call.scores = scores.subList(from, from + call.inputs.size());
        from += call.inputs.size();
      }
    } catch (RuntimeException | Error e) {
      // An error too: a call without an outcome would be waited for without end.
      calls.forEach(call -> call.failure = e);
    }
  }

  /** One caller's images. Written under the turn, read by its caller after its own. */
  private static final class Call {
    private final List<ScoreInput> inputs;
    private @Nullable List<ImageScores> scores;
    private @Nullable Throwable failure;

    Call(List<ScoreInput> inputs) {
      this.inputs = inputs;
    }

    boolean done() {
      return scores != null || failure != null;
    }

    List<ImageScores> result() {
      if (failure instanceof Error error) {
        throw error;
      }
      if (scores == null) {
        throw new IllegalStateException("the batch of this call failed", failure);
      }
      return scores;
    }
  }
}
