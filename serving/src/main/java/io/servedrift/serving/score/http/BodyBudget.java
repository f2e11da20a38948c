package io.servedrift.serving.score.http;

import java.util.concurrent.atomic.AtomicLong;

/** Memory for the bodies of all posts together. Thread-safe. */
final class BodyBudget {

  private final long limit;
  private final AtomicLong held = new AtomicLong();

  BodyBudget(long limit) {
    this.limit = limit;
  }

  /** Takes so many bytes, or none when there are not so many. */
  boolean take(long bytes) {
    if (held.addAndGet(bytes) <= limit) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }

  void giveBack(long bytes) {
    held.addAndGet(-bytes);
  }

  /** Bytes of bodies that are being read or worked on. */
  long held() {
    return held.get();
  }
}
