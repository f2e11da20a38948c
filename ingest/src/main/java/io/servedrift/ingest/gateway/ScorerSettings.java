package io.servedrift.ingest.gateway;

import java.net.URI;

/**
 * Which images go to which scorer.
 *
 * @param url the scorer, to which {@code /v1/scores} is added
 * @param share share of the requests whose image is scored, above 0 to 1; chosen by a hash of the
 *     request's id
 * @param waiting images that may wait; more are dropped
 */
public record ScorerSettings(URI url, double share, int waiting) {

  public ScorerSettings {
    if (!("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
        || url.getHost() == null
        || url.getRawQuery() != null
        || url.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          "scorer: must be an http:// or https:// URL without user name and query");
    }
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("scorer share=" + share + ": must be above 0, at most 1");
    }
    if (waiting < 1 || waiting > 10_000) {
      throw new IllegalArgumentException(
          "scorer waiting=" + waiting + ": must be between 1 and 10000");
    }
  }

  /** Sixty-four images may wait. */
  public static ScorerSettings of(URI url, double share) {
    return new ScorerSettings(url, share, 64);
  }
}
