package io.servedrift.serving.score.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A body while it arrives: called when there are bytes, so that no thread waits for a sender. What
 * it allocates is held from the budget until {@link #release}. Jetty calls it from one thread at a
 * time; {@link #fail} and {@link #release} may come from others.
 */
final class ArrivingBody implements ReadListener {

  /** How much of a body that is too large is read and thrown away, so that the answer arrives. */
  private static final long DRAIN_BYTES = 16L << 20;

  private static final int DRAIN_CHUNK = 16 * 1024;

  private final ServletInputStream in;
  private final int limit;
  private final BodyBudget budget;
  private final CompletableFuture<byte[]> complete = new CompletableFuture<>();
  private final Chunks chunks;
  private byte @Nullable [] drain;
  private long drained;
  private long held;
  private boolean released;

  ArrivingBody(ServletInputStream in, int limit, BodyBudget budget) {
    this.in = in;
    this.limit = limit;
    this.budget = budget;
    // A byte more tells that it is too large.
    this.chunks = new Chunks(limit + 1);
  }

  /** The whole body; fails with {@link ApiException} when it is refused. */
  CompletableFuture<byte[]> complete() {
    return complete;
  }

  @Override
  public void onDataAvailable() throws IOException {
    // A body that was refused meanwhile is not read on.
    while (!complete.isDone() && in.isReady() && !in.isFinished()) {
      int n = drain == null ? take() : in.read(drain);
      if (n < 0) {
        return;
      }
      if (drain != null) {
        drained += n;
        if (drained > DRAIN_BYTES) {
          fail(tooLarge());
        }
      } else if (chunks.size() > limit) {
        // It will be refused; until the sender has sent it all, others have use for the memory.
        chunks.clear();
        giveBack(held());
        if (!hold(DRAIN_CHUNK)) {
          fail(tooLarge());
          return;
        }
        drain = new byte[DRAIN_CHUNK];
      }
    }
  }

  private int take() throws IOException {
    int missing = chunks.missing();
    if (missing > 0) {
      if (!hold(missing)) {
        fail(
            ApiException.refused(
                429, "too_many_requests", "too many bodies are on their way: try again later"));
        return 0;
      }
      chunks.grow(missing);
    }
    return chunks.readFrom(in);
  }

  private synchronized long held() {
    return held;
  }

  /** Holds so many bytes more; false when there are not so many. */
  private synchronized boolean hold(long more) {
    if (released || !budget.take(more)) {
      return false;
    }
    held += more;
    return true;
  }

  private synchronized void giveBack(long bytes) {
    if (!released) {
      budget.giveBack(bytes);
      held -= bytes;
    }
  }

  @Override
  public void onAllDataRead() {
    if (drain != null) {
      fail(tooLarge());
    } else {
      byte[] body = chunks.join();
      giveBack(held() - body.length);
      complete.complete(body);
    }
  }

  @Override
  public void onError(Throwable failure) {
    fail(
        failure instanceof TimeoutException
            ? ApiException.refused(408, "timeout", "nothing of the body came for too long")
            : ApiException.refused(400, "body_cut", "the body ended early"));
  }

  private ApiException tooLarge() {
    return ApiException.refused(
        413, "body_too_large", "body larger than " + limit + " bytes: send fewer images per post");
  }

  /** It is refused; does nothing when it is complete. */
  void fail(ApiException why) {
    complete.completeExceptionally(why);
  }

  /** Nothing of it is needed any more. */
  synchronized void release() {
    released = true;
    budget.giveBack(held);
    held = 0;
  }
}
