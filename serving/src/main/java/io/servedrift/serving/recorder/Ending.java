package io.servedrift.serving.recorder;

import io.servedrift.schemas.avro.RequestStatus;
import org.jspecify.annotations.Nullable;

/**
 * How a request ended.
 *
 * @param status its status
 * @param finishReason {@code stop}, {@code length}, ...; {@code null} when there is none
 * @param error class of the error, never its text, which may quote the prompt
 */
public record Ending(RequestStatus status, @Nullable String finishReason, @Nullable String error) {

  /** The request was served. */
  public static Ending ok(@Nullable String finishReason) {
    return new Ending(RequestStatus.OK, finishReason, null);
  }

  /** The request failed; only the class of the failure is recorded. */
  public static Ending error(Throwable failure) {
    return new Ending(RequestStatus.ERROR, null, failure.getClass().getName());
  }

  /** The request took too long and was given up. */
  public static Ending timeout() {
    return new Ending(RequestStatus.TIMEOUT, null, null);
  }

  /** The client went away. */
  public static Ending cancelled() {
    return new Ending(RequestStatus.CANCELLED, null, null);
  }
}
