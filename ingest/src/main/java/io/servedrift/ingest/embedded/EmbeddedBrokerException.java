package io.servedrift.ingest.embedded;

import org.jspecify.annotations.Nullable;

/** The embedded broker cannot start; the message says on which folder, why, and what to do. */
public final class EmbeddedBrokerException extends RuntimeException {

  EmbeddedBrokerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
