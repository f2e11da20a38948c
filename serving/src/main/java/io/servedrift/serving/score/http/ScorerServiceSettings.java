package io.servedrift.serving.score.http;

import io.servedrift.ingest.http.BearerToken;
import io.servedrift.ingest.http.HttpSettings;
import org.jspecify.annotations.Nullable;

/**
 * Where the scorer listens, and to whom.
 *
 * @param http host, port, names, TLS
 * @param token what {@code /v1/*} demands; {@code null} for nothing
 * @param limits of a post
 */
public record ScorerServiceSettings(
    HttpSettings http, @Nullable BearerToken token, ScoreLimits limits) {

  /** Loopback, port 8082, plain HTTP, no token. */
  public static final ScorerServiceSettings DEFAULT =
      new ScorerServiceSettings(
          new HttpSettings("127.0.0.1", 8082, HttpSettings.DEFAULT.allowedHosts(), null),
          null,
          ScoreLimits.DEFAULT);
}
