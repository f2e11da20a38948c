package io.servedrift.ingest.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the HTTP server listens.
 *
 * @param host address to bind; loopback unless there is a reason
 * @param port port to bind; 0 takes a free one
 * @param allowedHosts host names under which the server may be asked, beside {@code localhost}, IP
 *     addresses and {@code host} itself
 * @param tls certificate and key; {@code null} for plain HTTP
 */
public record HttpSettings(
    String host, int port, List<String> allowedHosts, @Nullable TlsSettings tls) {

  /** 127.0.0.1:8080, plain HTTP. */
  public static final HttpSettings DEFAULT = new HttpSettings("127.0.0.1", 8080, List.of(), null);

  public HttpSettings {
    allowedHosts = List.copyOf(allowedHosts);
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("http port=" + port + ": must be between 0 and 65535");
    }
    if (host.isBlank()) {
      throw new IllegalArgumentException("http host is empty: must be a host name or address");
    }
  }
}
