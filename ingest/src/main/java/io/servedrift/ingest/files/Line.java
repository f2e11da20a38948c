package io.servedrift.ingest.files;

import org.jspecify.annotations.Nullable;

/**
 * One physical line without its terminator. A line above the limit carries no content, only its
 * length in bytes and digest.
 */
final class Line {
  private final long number;
  private final byte @Nullable [] content;
  private final long length;
  private final @Nullable String sha256;

  private Line(long number, byte @Nullable [] content, long length, @Nullable String sha256) {
    this.number = number;
    this.content = content;
    this.length = length;
    this.sha256 = sha256;
  }

  static Line of(long number, byte[] content) {
    return new Line(number, content, content.length, null);
  }

  static Line tooLarge(long number, long length, String sha256) {
    return new Line(number, null, length, sha256);
  }

  /** 1 for the first line of the file. */
  long number() {
    return number;
  }

  /** The bytes, or null when the line is too large. */
  byte @Nullable [] content() {
    return content;
  }

  long length() {
    return length;
  }

  /** Hex digest of a line that is too large, else null. */
  @Nullable String sha256() {
    return sha256;
  }
}
