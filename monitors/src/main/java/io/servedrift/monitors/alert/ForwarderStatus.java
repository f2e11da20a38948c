package io.servedrift.monitors.alert;

import java.util.List;
import java.util.Map;

/**
 * State and counters of the forwarder of this process. Immutable.
 *
 * @param running whether its thread works
 * @param detail one line for people
 * @param firing alerts that fire, of the deployments that this process answers for
 * @param findings versions of findings read
 * @param unreadable records of the findings topic that could not be used
 * @param replicas of Alertmanager
 */
public record ForwarderStatus(
    boolean running,
    String detail,
    Map<AlertSeverity, Integer> firing,
    long findings,
    long unreadable,
    List<ReplicaStatus> replicas) {
  /** Keeps its own collections. */
  public ForwarderStatus {
    firing = Map.copyOf(firing);
    replicas = List.copyOf(replicas);
  }
}
