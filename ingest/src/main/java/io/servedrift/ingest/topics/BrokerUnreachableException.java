package io.servedrift.ingest.topics;

import org.jspecify.annotations.Nullable;

/** No broker answered in time; the message names the address, the time waited and the cause. */
public final class BrokerUnreachableException extends RuntimeException {

  public BrokerUnreachableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
