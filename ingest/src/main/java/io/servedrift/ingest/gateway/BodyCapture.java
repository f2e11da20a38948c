package io.servedrift.ingest.gateway;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps a copy of a body while it passes, up to a limit. A body that is larger, or for which the
 * budget has no room, is given up as a whole: half a JSON document tells nothing. One thread at a
 * time.
 */
final class BodyCapture {

  private static final int FIRST_PART = 1024;
  private static final int MAX_PART = 64 * 1024;

  private final CaptureBudget budget;
  private final int limit;
  private final List<byte[]> parts = new ArrayList<>(2);
  private byte[] part = new byte[0];
  private int filled;
  private int size;
  private long reserved;
  private boolean givenUp;
  private boolean shed;

  BodyCapture(CaptureBudget budget, int limitBytes) {
    this.budget = budget;
    this.limit = limitBytes;
  }

  /** Copies what the buffer holds and leaves the buffer as it is. */
  void add(ByteBuffer chunk) {
    if (givenUp || !chunk.hasRemaining()) {
      return;
    }
    if (size + (long) chunk.remaining() > limit) {
      giveUp();
      return;
    }
    ByteBuffer from = chunk.slice();
    while (from.hasRemaining()) {
      if (filled == part.length && !grow(from.remaining())) {
        shed = true;
        giveUp();
        return;
      }
      int count = Math.min(from.remaining(), part.length - filled);
      from.get(part, filled, count);
      filled += count;
      size += count;
    }
  }

  /** Parts double with the body up to a limit, so at most about twice its length is held. */
  private boolean grow(int needed) {
    int length =
        Math.max(Math.min(needed, MAX_PART), Math.min(MAX_PART, Math.max(FIRST_PART, size)));
    if (!budget.take(length, size + length)) {
      return false;
    }
    reserved += length;
    part = new byte[length];
    filled = 0;
    parts.add(part);
    return true;
  }

  private void giveUp() {
    givenUp = true;
    release();
  }

  /** Whether the body was too large to be kept, or the budget had no room for it. */
  boolean givenUp() {
    return givenUp;
  }

  /** Whether it was given up because the budget had no room. */
  boolean isShed() {
    return shed;
  }

  /** What was kept, the whole body; empty after giving up. */
  byte[] bytes() {
    if (parts.size() == 1) {
      return Arrays.copyOf(part, size);
    }
    byte[] all = new byte[size];
    int at = 0;
    for (byte[] one : parts) {
      int count = Math.min(one.length, size - at);
      System.arraycopy(one, 0, all, at, count);
      at += count;
    }
    return all;
  }

  /** Gives the bytes back to the budget; what was kept is gone. */
  void release() {
    budget.giveBack(reserved);
    reserved = 0;
    parts.clear();
    part = new byte[0];
    filled = 0;
    size = 0;
  }
}
