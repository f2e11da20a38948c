package io.servedrift.serving.score.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * A body while it arrives: called when there are bytes, so that no thread waits for a sender. Its
 * bytes are held from the budget until {@link #release}. Jetty calls it from one thread at a time;
 * {@link #fail} and {@link #release} may come from others.
 */
final class ArrivingBody implements ReadListener {

  private static final int CHUNK = 16 * 1024;

  /** How much of a body that is too large is read and thrown away, so that the answer arrives. */
  private static final long DRAIN_BYTES = 16L << 20;

  private final ServletInputStream in;
  private final int limit;
  private final BodyBudget budget;
  private final CompletableFuture<byte[]> complete = new CompletableFuture<>();
  private final byte[] chunk = new byte[CHUNK];
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private long total;
  private long held;
  private boolean released;

  ArrivingBody(ServletInputStream in, int limit, BodyBudget budget) {
    this.in = in;
    this.limit = limit;
    this.budget = budget;
  }

  /** The whole body; fails with {@link ApiException} when it is refused. */
  CompletableFuture<byte[]> complete() {
    return complete;
  }

  @Override
  public void onDataAvailable() throws IOException {
    // A body that was refused meanwhile is not read on.
    while (!complete.isDone() && in.isReady() && !in.isFinished()) {
      int n = in.read(chunk);
      if (n < 0) {
        return;
      }
      take(n);
    }
  }

  private void take(int n) {
    total += n;
    if (total <= limit) {
      if (hold(n)) {
        body.write(chunk, 0, n);
      } else {
        fail(
            ApiException.refused(
                429, "too_many_requests", "too many bodies are on their way: try again later"));
      }
    } else if (total > limit + DRAIN_BYTES) {
      fail(tooLarge());
    }
  }

  private synchronized boolean hold(int bytes) {
    if (released || !budget.take(bytes)) {
      return false;
    }
    held += bytes;
    return true;
  }

  @Override
  public void onAllDataRead() {
    if (total > limit) {
      fail(tooLarge());
    } else {
      complete.complete(body.toByteArray());
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
