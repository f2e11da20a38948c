package io.servedrift.serving.node;

import java.time.Duration;

/**
 * Who the node is and how it lives.
 *
 * @param version of this program
 * @param deployment the logical service, 1 to 128 characters
 * @param node name of this process in it, 1 to 128 characters
 * @param heartbeat time between two heartbeats, 1 s or more
 * @param drain how long the end waits for what runs and waits
 */
public record NodeSettings(
    String version, String deployment, String node, Duration heartbeat, Duration drain) {

  private static final int LONGEST = 128;

  public NodeSettings {
    checkName("deployment", deployment);
    checkName("node", node);
    if (heartbeat.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("heartbeat=" + heartbeat + ": must be at least 1s");
    }
    if (drain.isNegative()) {
      throw new IllegalArgumentException("drain=" + drain + ": must not be negative");
    }
  }

  private static void checkName(String what, String name) {
    if (name.isBlank() || name.length() > LONGEST) {
      throw new IllegalArgumentException(
          what + "=" + name + ": must be 1 to " + LONGEST + " characters");
    }
  }
}
