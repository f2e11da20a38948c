package io.servedrift.ingest.publish;

/** Why an event offered to the publisher did not reach the broker. */
public enum DropReason {
  /** The buffer had no room: the broker is slower than the events come, or away. */
  BUFFER_FULL("buffer_full"),
  /** The encoded event is larger than {@link PublisherSettings#maxRecordBytes()}. */
  TOO_LARGE("too_large"),
  /** The event cannot be encoded: a field is missing or outside the schema. */
  ENCODE_ERROR("encode_error"),
  /** The broker refused, or did not acknowledge within the delivery time-out. */
  BROKER_ERROR("broker_error"),
  /** The publisher was closed before the event was acknowledged. */
  CLOSED("closed");

  private final String code;

  DropReason(String code) {
    this.code = code;
  }

  /** Whether the event itself is why, so that offering it again is of no use. */
  public boolean isFinal() {
    return this == TOO_LARGE || this == ENCODE_ERROR;
  }

  /** The word used in metrics, logs and HTTP answers. */
  public String code() {
    return code;
  }
}
