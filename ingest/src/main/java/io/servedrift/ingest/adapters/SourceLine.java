package io.servedrift.ingest.adapters;

/** One line or record of a source, or only its place. */
public final class SourceLine {
  private static final byte[] NOTHING = {};

  private final byte[] content;
  private final int file;
  private final long number;

  /**
   * @param content its bytes without the end of the line; not to be changed afterwards
   * @param file which of the inputs it is from, from 0
   * @param number of the line in it, from 1
   */
  public SourceLine(byte[] content, int file, long number) {
    this.content = content;
    this.file = file;
    this.number = number;
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

  /** The place alone: what is held for a later join must not hold the bytes. */
  public SourceLine place() {
    return new SourceLine(NOTHING, file, number);
  }
}
