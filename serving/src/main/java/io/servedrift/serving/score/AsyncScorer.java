package io.servedrift.serving.score;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.score.ScoreQueue.Outcome;
import io.servedrift.serving.score.ScoreQueue.Task;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scores finished images beside generation and publishes the scores as late {@code score} events.
 *
 * <p><b>Never blocks the caller.</b> {@link #offer} decides by the request's id, puts the image in
 * a bounded queue and returns; when the queue is full the newest image is dropped. One thread of
 * its own takes what waits, up to a batch. Every image is accounted for, see {@link
 * AsyncScorerCounts}.
 *
 * <p>Thread-safe.
 */
public final class AsyncScorer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(AsyncScorer.class);
  private static final long LOG_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private final Scorer scorer;
  private final EventSink sink;
  private final AsyncScorerSettings settings;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final RequestSampling sampling;
  private final ScoreQueue queue;
  private final Thread worker;
  private long saidAtNanos;

  /**
   * Starts the thread.
   *
   * @param scorer what scores; stays the caller's, to be closed after this
   * @param sink where the events go; the same
   * @throws IllegalArgumentException when the share is not between 0 and 1
   */
  public AsyncScorer(Scorer scorer, EventSink sink, AsyncScorerSettings settings) {
    this(scorer, sink, settings, InstantSource.system(), System::nanoTime);
  }

  AsyncScorer(
      Scorer scorer,
      EventSink sink,
      AsyncScorerSettings settings,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.scorer = scorer;
    this.sink = sink;
    this.settings = settings;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.sampling = new RequestSampling(settings.share());
    this.queue = new ScoreQueue(settings.maxWaiting(), settings.maxWaitingBytes());
    this.saidAtNanos = nanoTime.getAsLong() - LOG_PAUSE_NANOS;
    this.worker = new Thread(this::work, "servedrift-scorer");
    this.worker.setDaemon(true);
    this.worker.start();
  }

  /**
   * Hands a finished image over.
   *
   * @param requestId whose it is
   * @param prompt what was asked for
   * @param image the picture; must not change any more
   * @return whether it will be tried; false when it was not selected or was dropped, and counted
   */
  public boolean offer(String requestId, String prompt, ImageOutput image) {
    if (!sampling.selects(requestId)) {
      queue.skip();
      return false;
    }
    try {
      ScoreInput input = new ScoreInput(prompt, image);
      return queue.offer(new Task(requestId, input, nanoTime.getAsLong()));
    } catch (IllegalArgumentException invalidImage) {
      queue.drop(ScoreDropReason.INVALID_IMAGE);
      return false;
    }
  }

  /** What became of the images so far. */
  public AsyncScorerCounts counts() {
    return queue.counts();
  }

  private void work() {
    List<Task> batch = queue.take(settings.maxBatch());
    while (!batch.isEmpty()) {
      long started = nanoTime.getAsLong();
      Outcome outcome = new Outcome();
      try {
        score(batch, outcome);
      } catch (RuntimeException | Error e) {
        // The thread must live on: without it nothing would be scored until the next restart.
        outcome.dropped(ScoreDropReason.SCORING_FAILED, batch.size() - outcome.settled());
        say(batch.size(), e);
      }
      queue.finished(batch, outcome, nanoTime.getAsLong() - started);
      batch = queue.take(settings.maxBatch());
    }
  }

  private void score(List<Task> batch, Outcome outcome) {
    List<ImageScores> scores = scorer.score(batch.stream().map(Task::input).toList());
    if (scores.size() != batch.size()) {
      throw new IllegalStateException(scores.size() + " scores for " + batch.size() + " images");
    }
    if (queue.abandoned()) {
      return;
    }
    Instant now = clock.instant();
    long nanos = nanoTime.getAsLong();
    for (int i = 0; i < batch.size(); i++) {
      if (scores.get(i).finite()) {
        publish(batch.get(i).requestId(), scores.get(i), now, outcome);
        outcome.scored(nanos - batch.get(i).offeredNanos());
      } else {
        outcome.dropped(ScoreDropReason.NOT_FINITE, 1);
      }
    }
  }

  private void publish(String requestId, ImageScores scores, Instant at, Outcome outcome) {
    for (ScoreEvent event :
        ScoreEvents.of(settings.deployment(), requestId, scores, scorer.scorers(), at)) {
      outcome.event(sink.offer(event));
    }
  }

  /** The class only: texts of exceptions may quote prompts. */
  private void say(int images, Throwable failure) {
    long now = nanoTime.getAsLong();
    if (now - saidAtNanos >= LOG_PAUSE_NANOS) {
      saidAtNanos = now;
      LOG.warn("scoring {} image(s) failed: {}", images, failure.getClass().getName());
    }
  }

  /**
   * Takes no more images, scores what waits for at most the drain time-out, and counts the rest as
   * dropped.
   */
  @Override
  public void close() {
    queue.close();
    try {
      worker.join(Math.max(1, settings.drainTimeout().toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    queue.abandon();
  }
}
