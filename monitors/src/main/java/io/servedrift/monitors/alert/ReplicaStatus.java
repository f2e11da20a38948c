package io.servedrift.monitors.alert;

import java.time.Instant;
import java.util.Optional;

/**
 * What became of the alerts sent to one replica since the start. Immutable.
 *
 * @param replica host, port and path
 * @param running whether the thread that sends works
 * @param sent alerts taken
 * @param failed alerts of attempts that failed and are tried again
 * @param rejected alerts that were refused for what they say
 * @param waiting alerts to be sent
 * @param lastSuccess when an attempt last worked
 * @param problem why the last attempt failed or was refused, empty when it was taken
 */
public record ReplicaStatus(
    String replica,
    boolean running,
    long sent,
    long failed,
    long rejected,
    int waiting,
    Optional<Instant> lastSuccess,
    String problem) {}
