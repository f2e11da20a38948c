package io.servedrift.monitors.alert;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where the replicas of Alertmanager are and how they are spoken to. Immutable.
 *
 * @param replicas address of each, as its users see it; none holds a password
 * @param headers sent with every request, by name; may hold secrets
 * @param tls trust and own certificate, null for those of the Java platform
 * @param timeout for one request
 */
public record AlertmanagerAccess(
    List<URI> replicas, Map<String, String> headers, @Nullable SSLContext tls, Duration timeout) {
  /**
   * Keeps its own collections.
   *
   * @throws IllegalArgumentException when an address holds a user name or password
   */
  public AlertmanagerAccess {
    replicas = List.copyOf(replicas);
    headers = Map.copyOf(new TreeMap<>(headers));
    if (replicas.stream().anyMatch(replica -> replica.getUserInfo() != null)) {
      throw new IllegalArgumentException(
          "Alertmanager address: must be without user name and password, which belong in files of"
              + " their own");
    }
  }

  /** For logs: nothing secret. */
  @Override
  public String toString() {
    return replicas.toString();
  }
}
