package io.servedrift.serving.score;

/** Why an image that was to be scored was not. */
public enum ScoreDropReason {
  /** Too many images, or too many bytes of them, wait already. */
  QUEUE_FULL("queue_full"),
  /** The image's sides and bytes do not fit each other. */
  INVALID_IMAGE("invalid_image"),
  /** The scorer failed on the batch that the image was in. */
  SCORING_FAILED("scoring_failed"),
  /** A score came out as NaN or infinite. */
  NOT_FINITE("not_finite"),
  /** The scorer was closed before the image's turn. */
  CLOSED("closed");

  private final String code;

  ScoreDropReason(String code) {
    this.code = code;
  }

  /** The word used in metrics and logs. */
  public String code() {
    return code;
  }
}
