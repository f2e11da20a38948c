package io.servedrift.serving.cli;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.serving.node.FinishedImages;
import io.servedrift.serving.score.AsyncScorer;
import io.servedrift.serving.score.AsyncScorerSettings;
import io.servedrift.serving.score.ScorerMetrics;
import io.servedrift.serving.score.ScorerModel;
import java.io.IOException;
import java.nio.file.Path;

/** The scorer beside a node: model, queue and metrics, closed together. */
final class Scoring implements AutoCloseable {

  private final ScorerModel model;
  private final AsyncScorer scorer;

  private Scoring(ScorerModel model, AsyncScorer scorer) {
    this.model = model;
    this.scorer = scorer;
  }

  /**
   * Loads the scorer and starts its thread.
   *
   * @param device as {@link ScorerModel#load(Path, String)} takes it
   * @param share of the requests that is scored, 0 to 1
   * @throws IOException when the directory cannot be used
   */
  static Scoring start(
      Path directory, String device, String deployment, double share, EventSink sink)
      throws IOException {
    ScorerModel model = ScorerModel.load(directory, device);
    AsyncScorerSettings usual = AsyncScorerSettings.defaults(deployment);
    return new Scoring(
        model,
        new AsyncScorer(
            model,
            sink,
            new AsyncScorerSettings(
                deployment,
                share,
                usual.maxWaiting(),
                usual.maxWaitingBytes(),
                usual.maxBatch(),
                usual.drainTimeout())));
  }

  /** Takes the node's images. */
  FinishedImages images() {
    return (request, image) -> scorer.offer(request.requestId(), request.prompt(), image);
  }

  /** Counts of the scorer. */
  ScorerMetrics metrics() {
    return new ScorerMetrics(scorer, model);
  }

  /** Scores what waits, within its time, then frees the model. */
  @Override
  public void close() {
    scorer.close();
    model.close();
  }
}
