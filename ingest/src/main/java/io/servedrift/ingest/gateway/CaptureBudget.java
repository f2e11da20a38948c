package io.servedrift.ingest.gateway;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of bodies may be kept for measuring at a time, over all requests: what keeps
 * memory flat whatever passes. The last eighth is for small bodies, so that large answers that wait
 * to be read do not keep the requests from being known. Thread-safe.
 */
final class CaptureBudget {

  /** A body up to this is small, bytes. */
  private static final int SMALL = 64 * 1024;

  private static final int SHARE_FOR_SMALL = 8;

  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  CaptureBudget(long limitBytes) {
    this.limit = limitBytes;
  }

  /** Takes bytes; false, and takes none, when that would be too many. */
  boolean take(long bytes) {
    return takeUpTo(limit, bytes);
  }

  /**
   * Takes bytes of a body; false, and takes none, when that would be too many.
   *
   * @param bytes how many more are to be kept
   * @param whole how many of this body are kept then
   */
  boolean take(long bytes, long whole) {
    return takeUpTo(whole <= SMALL ? limit : limit - limit / SHARE_FOR_SMALL, bytes);
  }

  private boolean takeUpTo(long most, long bytes) {
    if (taken.addAndGet(bytes) <= most) {
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
