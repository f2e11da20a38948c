package io.servedrift.schemas;

/**
 * How much one item may hold; what exceeds it is rejected as {@code too_large} before it is parsed.
 *
 * @param maxBytes length of one item, bytes
 * @param maxDepth nesting of JSON objects and arrays
 */
public record ReadLimits(int maxBytes, int maxDepth) {
  /** 1 MiB and 64 levels. */
  public static final ReadLimits DEFAULT = new ReadLimits(1024 * 1024, 64);

  public ReadLimits {
    if (maxBytes < 1) {
      throw new IllegalArgumentException("maxBytes=" + maxBytes + ": must be at least 1");
    }
    if (maxDepth < 1 || maxDepth > 500) {
      throw new IllegalArgumentException("maxDepth=" + maxDepth + ": must be between 1 and 500");
    }
  }
}
