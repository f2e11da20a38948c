package io.servedrift.monitors.gate.run;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes a body up to a size and notes when its parts came. For one answer; called by the HTTP
 * client, one call after the other.
 */
final class LimitedBody implements BodySubscriber<LimitedBody.Content> {
  /** Of a long answer; further parts move the last mark. */
  private static final int MOST_MARKS = 100_000;

  /** The body, or as much of it as may be. */
  @SuppressWarnings("ArrayRecordComponent")
  record Content(byte[] bytes, boolean tooLarge, long doneNanos, List<Reply.Mark> marks) {}

  private final int most;
  private final LongSupplier nanos;
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private final List<Reply.Mark> marks = new ArrayList<>();
  private final CompletableFuture<Content> body = new CompletableFuture<>();
  private Flow.@Nullable Subscription source;

  LimitedBody(int most, LongSupplier nanos) {
    this.most = most;
    this.nanos = nanos;
  }

  @Override
  public CompletionStage<Content> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    source = subscription;
    subscription.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> items) {
    for (ByteBuffer item : items) {
      if (item.remaining() > most - read.size()) {
        if (source != null) {
          source.cancel();
        }
        body.complete(new Content(new byte[0], true, nanos.getAsLong(), List.of()));
        return;
      }
      byte[] bytes = new byte[item.remaining()];
      item.get(bytes);
      read.writeBytes(bytes);
    }
    if (marks.size() < MOST_MARKS) {
      marks.add(new Reply.Mark(read.size(), nanos.getAsLong()));
    }
    if (source != null) {
      source.request(1);
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(new Content(read.toByteArray(), false, nanos.getAsLong(), marks));
  }
}
