package io.servedrift.monitors.cli;

import io.servedrift.monitors.alert.AlertForwarder;
import io.servedrift.monitors.alert.AlertmanagerAccess;
import io.servedrift.monitors.alert.Condition;
import io.servedrift.monitors.alert.ForwarderStatus;
import io.servedrift.monitors.alert.ReplicaStatus;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.ops.AlertMetrics;
import io.servedrift.monitors.ops.CheckResult;
import io.servedrift.monitors.ops.HealthCheck;
import io.servedrift.schemas.Topics;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The alert forwarder in this process with its health and metrics. It starts after the HTTP server,
 * whose address alerts link to. Thread-safe.
 */
final class AlertSending implements HealthCheck, AutoCloseable {
  private static final ForwarderStatus STARTING =
      new ForwarderStatus(true, "starting", Map.of(), 0, 0, List.of());

  private final Settings settings;
  private final AlertmanagerAccess access;
  private volatile @Nullable AlertForwarder forwarder;

  /**
   * Prepares sending.
   *
   * @throws CommandFailure when a file with a secret, a header or a certificate cannot be used
   */
  AlertSending(Settings settings) {
    this.settings = settings;
    this.access = AlertOptions.access(settings);
  }

  /** Starts sending; the parameters are those of {@link AlertOptions#of}. */
  void start(
      Map<String, Object> kafka,
      Topics topics,
      String address,
      Supplier<Optional<List<Condition>>> conditions,
      Clock clock) {
    forwarder =
        AlertForwarder.start(
            AlertOptions.of(settings, access, kafka, topics, address, conditions, clock));
  }

  AlertMetrics metrics() {
    return new AlertMetrics(this::status);
  }

  private ForwarderStatus status() {
    AlertForwarder started = forwarder;
    return started == null ? STARTING : started.status();
  }

  @Override
  public String name() {
    return "alerts";
  }

  /**
   * Not ready only when a thread has ended. An Alertmanager that cannot be reached is said, but is
   * no reason to take the monitor out of service: intake and page work, and another instance would
   * not reach it either.
   */
  @Override
  public CheckResult check() {
    ForwarderStatus now = status();
    if (!now.running()) {
      return CheckResult.notReady(now.detail());
    }
    for (ReplicaStatus one : now.replicas()) {
      if (!one.running()) {
        return CheckResult.notReady("the thread for Alertmanager " + one.replica() + " has ended");
      }
    }
    StringJoiner detail = new StringJoiner("; ");
    detail.add(now.detail());
    int firing = now.firing().values().stream().mapToInt(Integer::intValue).sum();
    detail.add(firing + " firing");
    for (ReplicaStatus one : now.replicas()) {
      if (!one.problem().isEmpty()) {
        detail.add("degraded: Alertmanager " + one.replica() + ": " + one.problem());
      }
    }
    return CheckResult.ready(detail.toString());
  }

  @Override
  public void close() {
    AlertForwarder started = forwarder;
    if (started != null) {
      started.close();
    }
  }
}
