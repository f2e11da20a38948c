package io.servedrift.ingest.files;

import org.jspecify.annotations.Nullable;

/**
 * An input file as a whole cannot be read: missing, cut gzip, wrong encoding, a header without the
 * mapped columns, a line that is no row of it is never this. The message names the file.
 */
public final class FileReadException extends Exception {
  private static final long serialVersionUID = 1L;

  FileReadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
