package io.servedrift.ingest.files;

import org.jspecify.annotations.Nullable;

/** An import that was refused or broke off; the message says why and what to do instead. */
public final class ImportException extends Exception {
  private static final long serialVersionUID = 1L;

  ImportException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
