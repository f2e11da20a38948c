package io.servedrift.monitors.alert;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of an answer as text. What is longer is not read, however long it is. For one
 * answer; called by the HTTP client, one call after the other.
 */
final class FirstBytes implements BodySubscriber<String> {
  private final int most;
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private final CompletableFuture<String> body = new CompletableFuture<>();
  private Flow.@Nullable Subscription source;

  /**
   * Reads nothing yet.
   *
   * @param most bytes to read
   */
  FirstBytes(int most) {
    this.most = most;
  }

  @Override
  public CompletionStage<String> getBody() {
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
      byte[] bytes = new byte[Math.min(item.remaining(), most - read.size())];
      item.get(bytes);
      read.writeBytes(bytes);
    }
    if (source == null) {
      return;
    }
    if (read.size() < most) {
      source.request(1);
    } else {
      source.cancel();
      onComplete();
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(read.toString(StandardCharsets.UTF_8));
  }
}
