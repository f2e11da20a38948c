package io.servedrift.ingest.gateway;

import io.servedrift.schemas.PromptHash;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a gateway works.
 *
 * @param upstream the runtime: scheme, host, port and a path that is put before every path
 * @param host address to listen on
 * @param port port to listen on; 0 takes a free one
 * @param deployment the deployment its events name
 * @param node the node its events name
 * @param upstreamTimeout longest silence of the upstream, and of a client that takes its answer
 * @param captureLimit largest body that is read for measuring, bytes
 * @param captureBudget bytes of all bodies kept for measuring at a time
 * @param promptHash how prompts are hashed; null: they are not
 */
public record GatewaySettings(
    URI upstream,
    String host,
    int port,
    String deployment,
    String node,
    Duration upstreamTimeout,
    int captureLimit,
    long captureBudget,
    @Nullable PromptHash promptHash) {

  private static final int DEFAULT_CAPTURE_LIMIT = 16 << 20;
  private static final long DEFAULT_CAPTURE_BUDGET = 128L << 20;

  public GatewaySettings {
    List<String> problems = new ArrayList<>();
    if (!("http".equals(upstream.getScheme()) || "https".equals(upstream.getScheme()))
        || upstream.getHost() == null
        || upstream.getRawQuery() != null
        || upstream.getRawFragment() != null
        || upstream.getRawUserInfo() != null) {
      problems.add(
          "upstream: must be http:// or https:// with host, port and path only, without user name,"
              + " query and fragment");
    }
    name("deployment", deployment, problems);
    name("node", node, problems);
    if (port < 0 || port > 65_535) {
      problems.add("port=" + port + ": must be between 0 and 65535");
    }
    if (upstreamTimeout.compareTo(Duration.ofSeconds(1)) < 0
        || upstreamTimeout.compareTo(Duration.ofDays(1)) > 0) {
      problems.add("upstream timeout=" + upstreamTimeout + ": must be between 1s and 24h");
    }
    if (captureLimit < 1024 || captureLimit > captureBudget) {
      problems.add(
          "capture limit="
              + captureLimit
              + ": must be between 1024 and the budget "
              + captureBudget);
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", problems));
    }
  }

  private static void name(String what, String value, List<String> problems) {
    if (value.isBlank()
        || value.length() > 128
        || value.chars().anyMatch(Character::isISOControl)) {
      problems.add(what + ": must be 1 to 128 characters without control characters");
    }
  }

  /**
   * 127.0.0.1:8090, ten minutes, bodies up to 16 MiB, 128 MiB of them; the node is the upstream.
   */
  public static GatewaySettings of(URI upstream, String deployment) {
    String node = upstream.getRawAuthority() == null ? "upstream" : upstream.getRawAuthority();
    return new GatewaySettings(
        upstream,
        "127.0.0.1",
        8090,
        deployment,
        node,
        Duration.ofMinutes(10),
        DEFAULT_CAPTURE_LIMIT,
        DEFAULT_CAPTURE_BUDGET,
        null);
  }

  /** The same on another address. */
  public GatewaySettings withAddress(String newHost, int newPort) {
    return new GatewaySettings(
        upstream,
        newHost,
        newPort,
        deployment,
        node,
        upstreamTimeout,
        captureLimit,
        captureBudget,
        promptHash);
  }

  /** The same for another node. */
  public GatewaySettings withNode(String newNode) {
    return new GatewaySettings(
        upstream,
        host,
        port,
        deployment,
        newNode,
        upstreamTimeout,
        captureLimit,
        captureBudget,
        promptHash);
  }

  /** The same with another time-out. */
  public GatewaySettings withUpstreamTimeout(Duration timeout) {
    return new GatewaySettings(
        upstream, host, port, deployment, node, timeout, captureLimit, captureBudget, promptHash);
  }

  /** The same with other limits on what is kept of bodies. */
  public GatewaySettings withCapture(int limit, long budget) {
    return new GatewaySettings(
        upstream, host, port, deployment, node, upstreamTimeout, limit, budget, promptHash);
  }

  /** The same with hashed prompts. */
  public GatewaySettings withPromptHash(@Nullable PromptHash hash) {
    return new GatewaySettings(
        upstream, host, port, deployment, node, upstreamTimeout, captureLimit, captureBudget, hash);
  }
}
