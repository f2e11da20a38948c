package io.servedrift.serving.score;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Decides by the request's id alone whether a request is scored, so that every node, every restart
 * and any other program decides the same: the first 53 bits of SHA-256 over the id in UTF-8, read
 * as a fraction from 0 to 1, must be below the share. What a small share selects, a larger one
 * selects too. Immutable.
 */
public final class RequestSampling {

  private static final int FRACTION_BITS = 53;

  private final double share;

  /**
   * Selects a share of all requests.
   *
   * @param share from 0, none, to 1, all
   * @throws IllegalArgumentException when it is outside
   */
  public RequestSampling(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("score share=" + share + ": must be between 0 and 1");
    }
    this.share = share;
  }

  /** Whether the request is selected. */
  public boolean selects(String requestId) {
    return share >= 1 || (share > 0 && fraction(requestId) < share);
  }

  static double fraction(String requestId) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(requestId.getBytes(StandardCharsets.UTF_8));
      long bits = ByteBuffer.wrap(digest).getLong() >>> (Long.SIZE - FRACTION_BITS);
      return Math.scalb((double) bits, -FRACTION_BITS);
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
