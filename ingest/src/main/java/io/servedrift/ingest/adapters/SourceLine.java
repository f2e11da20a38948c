package io.servedrift.ingest.adapters;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One line or record of a source, or only its place. */
public final class SourceLine {
  private static final byte[] NOTHING = {};

  private final byte[] content;
  private final int file;
  private final long number;
  private final @Nullable Instant came;

  /**
   * @param content its bytes without the end of the line; not to be changed afterwards
   * @param file which of the inputs it is from, from 0
   * @param number of the line in it, from 1
   */
  public SourceLine(byte[] content, int file, long number) {
    this(content, file, number, null);
  }

  /**
   * @param content its bytes without the end of the line; not to be changed afterwards
   * @param file which of the inputs it is from, from 0
   * @param number of the line in it, from 1
   * @param came when it came, by the clock that {@link Adapter#pass} goes by; null for history,
   *     whose only clock are the times in its lines
   */
  public SourceLine(byte[] content, int file, long number, @Nullable Instant came) {
    this.content = content;
    this.file = file;
    this.number = number;
    this.came = came;
  }

  /** The bytes, not to be changed; empty when only the place is known. */
  public byte[] content() {
    return content;
  }

  /** Which of the inputs it is from, from 0. */
  public int file() {
    return file;
  }

  /** Number of the line, from 1. */
  public long number() {
    return number;
  }

  /** When it came; null for history. */
  public @Nullable Instant came() {
    return came;
  }

  /** The place alone: what is held for a later join must not hold the bytes. */
  public SourceLine place() {
    return new SourceLine(NOTHING, file, number, came);
  }
}
