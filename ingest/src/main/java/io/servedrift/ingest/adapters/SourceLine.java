package io.servedrift.ingest.adapters;

/**
 * One line or record of a source.
 *
 * @param content its bytes without the end of the line; empty when only the place is still known
 * @param file which of the inputs it is from, from 0
 * @param number of the line in it, from 1
 */
public record SourceLine(byte[] content, int file, long number) {
  private static final byte[] NOTHING = {};

  /** The place alone: what is held for a later join must not hold the bytes. */
  public SourceLine place() {
    return new SourceLine(NOTHING, file, number);
  }
}
