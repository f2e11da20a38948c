package io.servedrift.ingest.gateway;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of bodies may be kept for measuring at a time, over all requests: what keeps
 * memory flat whatever passes. Thread-safe.
 */
final class CaptureBudget {

  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  CaptureBudget(long limitBytes) {
    this.limit = limitBytes;
  }

  /** Takes bytes; false, and takes none, when that would be too many. */
  boolean take(long bytes) {
    if (taken.addAndGet(bytes) <= limit) {
      return true;
    }
    taken.addAndGet(-bytes);
    return false;
  }

  void giveBack(long bytes) {
    taken.addAndGet(-bytes);
  }

  /** Bytes kept now. */
  long taken() {
    return taken.get();
  }
}
