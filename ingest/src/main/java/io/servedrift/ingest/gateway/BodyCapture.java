package io.servedrift.ingest.gateway;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a copy of a body while it passes, up to a limit. A body that is larger, or for which the
 * budget has no room, is given up as a whole: half a JSON document tells nothing. One thread at a
 * time.
 */
final class BodyCapture {

  private static final int STEP = 4096;

  private final CaptureBudget budget;
  private final int limit;
  private @Nullable Kept kept = new Kept();
  private long reserved;
  private long seen;

  BodyCapture(CaptureBudget budget, int limitBytes) {
    this.budget = budget;
    this.limit = limitBytes;
  }

  /** Copies what the buffer holds and leaves the buffer as it is. */
  void add(ByteBuffer chunk) {
    seen += chunk.remaining();
    Kept current = kept;
    if (current == null || !chunk.hasRemaining()) {
      return;
    }
    int length = current.size() + chunk.remaining();
    if (length > limit || !reserve(length)) {
      giveUp();
      return;
    }
    byte[] bytes = new byte[chunk.remaining()];
    chunk.slice().get(bytes);
    current.write(bytes, 0, bytes.length);
  }

  /** The stream at most doubles its array, so twice its length bounds what it holds. */
  private boolean reserve(int length) {
    long wanted = Math.max(STEP, 2L * Integer.highestOneBit(length) * 2);
    if (wanted <= reserved) {
      return true;
    }
    if (!budget.take(wanted - reserved)) {
      return false;
    }
    reserved = wanted;
    return true;
  }

  private void giveUp() {
    kept = null;
    release();
  }

  /** Bytes that passed, kept or not. */
  long seen() {
    return seen;
  }

  /** Whether the body was too large to be kept. */
  boolean givenUp() {
    return kept == null;
  }

  /** What was kept, the whole body; empty after giving up. */
  byte[] bytes() {
    Kept current = kept;
    return current == null ? new byte[0] : current.toByteArray();
  }

  /** Gives the bytes back to the budget; what was kept is gone. */
  void release() {
    budget.giveBack(reserved);
    reserved = 0;
    kept = kept == null ? null : new Kept();
  }

  /** Named so that its write does not declare an exception it never throws. */
  private static final class Kept extends ByteArrayOutputStream {}
}
