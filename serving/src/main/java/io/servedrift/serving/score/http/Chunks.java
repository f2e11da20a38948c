package io.servedrift.serving.score.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a body in arrays that were allocated one after the other, each as large as all before it
 * together: nothing is copied as they grow, and at most half of them is empty. Not thread-safe.
 */
final class Chunks {

  private static final int FIRST = 1 << 10;

  private final int most;
  private final List<byte[]> full = new ArrayList<>();
  private byte @Nullable [] last;
  private int inLast;
  private int size;
  private int capacity;

  /** For so many bytes at most. */
  Chunks(int most) {
    this.most = most;
  }

  /** Bytes to be allocated before the next read; 0 when there is room. */
  int missing() {
    return last != null && inLast < last.length
        ? 0
        : Math.min(Math.max(FIRST, capacity), most - capacity);
  }

  /** Allocates so many bytes. */
  void grow(int bytes) {
    if (last != null) {
      full.add(last);
    }
    last = new byte[bytes];
    inLast = 0;
    capacity += bytes;
  }

  /** Reads what is there, as far as there is room; returns how many bytes, negative at the end. */
  int readFrom(InputStream in) throws IOException {
    byte[] into = Objects.requireNonNull(last);
    int n = in.read(into, inLast, into.length - inLast);
    inLast += Math.max(0, n);
    size += Math.max(0, n);
    return n;
  }

  /** Bytes read. */
  int size() {
    return size;
  }

  /** All in one; nothing of it is held here afterwards. */
  byte[] join() {
    byte[] all = new byte[size];
    int at = 0;
    for (byte[] each : full) {
      System.arraycopy(each, 0, all, at, each.length);
      at += each.length;
    }
    if (last != null) {
      System.arraycopy(last, 0, all, at, inLast);
    }
    clear();
    return all;
  }

  /** Nothing is held here any more. */
  void clear() {
    full.clear();
    last = null;
    inLast = 0;
    size = 0;
    capacity = 0;
  }
}
