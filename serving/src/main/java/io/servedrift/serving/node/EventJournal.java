package io.servedrift.serving.node;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.serving.recorder.Observed;
import io.servedrift.serving.recorder.ServingIdentity;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes what the node itself has to tell: its configuration, what happens to it, and that it
 * lives. Never waits for the broker.
 *
 * <p>A configuration's dictionary entry is offered again with each heartbeat until the broker has
 * acknowledged it, also when another is in force by then: without it nobody could read the
 * fingerprints of its requests. Everything else may be lost with the broker, and is counted by the
 * publisher.
 *
 * <p>Thread-safe.
 */
public final class EventJournal {

  private static final Logger LOG = LoggerFactory.getLogger(EventJournal.class);

  /** More configurations than this in force without a broker are not all registered later. */
  static final int MAX_UNREGISTERED = 64;

  private final EventSink sink;
  private final String deployment;
  private final String node;
  private final InstantSource clock;

  private volatile ResolvedConfiguration configuration;
  private volatile ServingIdentity identity;

  /** Dictionary entries that the broker has not acknowledged, by their ids, oldest first. */
  private final Map<String, Registration> unregistered = new LinkedHashMap<>();

  /** With a configuration in force; publishes nothing yet. */
  public EventJournal(
      EventSink sink,
      String deployment,
      String node,
      ResolvedConfiguration configuration,
      InstantSource clock) {
    this.sink = sink;
    this.deployment = deployment;
    this.node = node;
    this.clock = clock;
    this.configuration = configuration;
    this.identity = identity(deployment, node, configuration);
  }

  private static ServingIdentity identity(
      String deployment, String node, ResolvedConfiguration configuration) {
    return new ServingIdentity(
        deployment,
        node,
        configuration.configId(),
        configuration.modelId(),
        EnumSet.allOf(Observed.class));
  }

  /** Under which identity a request that is admitted now is recorded. */
  public ServingIdentity identity() {
    return identity;
  }

  /** What is in force now. */
  public ResolvedConfiguration configuration() {
    return configuration;
  }

  /** The node serves from now on. */
  public synchronized void started() {
    register(configuration);
    happened(ServingEventKind.NODE_STARTED, Map.of());
    heartbeat();
  }

  /** The node served until now. */
  public void stopped(String reason) {
    happened(ServingEventKind.NODE_STOPPED, Map.of("reason", reason));
  }

  /**
   * Something else is in force from now on. Publishes its dictionary entry and a {@code
   * config_changed} event when a fingerprint differs; requests that are admitted later carry it.
   */
  public synchronized void switchTo(ResolvedConfiguration next) {
    ResolvedConfiguration before = configuration;
    configuration = next;
    boolean same =
        before.configId().equals(next.configId()) && before.modelId().equals(next.modelId());
    if (same) {
      return;
    }
    register(next);
    identity = identity(deployment, node, next);
    Map<String, String> attributes = new HashMap<>();
    attributes.put("from_config_id", before.configId());
    attributes.put("to_config_id", next.configId());
    if (!before.modelId().equals(next.modelId())) {
      attributes.put("from_model_id", before.modelId());
      attributes.put("to_model_id", next.modelId());
    }
    happened(ServingEventKind.CONFIG_CHANGED, attributes);
  }

  /**
   * Something happened to this node.
   *
   * @param attributes details; no text of users
   */
  public void happened(ServingEventKind kind, Map<String, String> attributes) {
    sink.offer(
        ServingEvent.newBuilder()
            .setEventId("e-" + UUID.randomUUID())
            .setAt(now())
            .setDeployment(deployment)
            .setNode(node)
            .setKind(kind)
            .setAttributes(attributes)
            .build());
  }

  /** The node lives; to be called every few seconds. */
  public synchronized void heartbeat() {
    registerAgain();
    sink.offer(
        Heartbeat.newBuilder()
            .setAt(now())
            .setDeployment(deployment)
            .setNode(node)
            .setConfigId(identity.configId())
            .setModelId(identity.modelId())
            .build());
  }

  private record Registration(ResolvedConfiguration configuration, CompletableFuture<?> sent) {}

  private void register(ResolvedConfiguration entry) {
    String ids = entry.configId() + "/" + entry.modelId();
    unregistered.remove(ids);
    unregistered.values().removeIf(EventJournal::acknowledged);
    if (unregistered.size() >= MAX_UNREGISTERED) {
      String oldest = unregistered.keySet().iterator().next();
      unregistered.remove(oldest);
      LOG.warn("the meaning of {} was never acknowledged by a broker; it is given up", oldest);
    }
    unregistered.put(
        ids, new Registration(entry, sink.publish(entry.record(now(), deployment, node))));
  }

  private void registerAgain() {
    unregistered.values().removeIf(EventJournal::acknowledged);
    for (Registration failed :
        unregistered.values().stream()
            .filter(registration -> registration.sent.isCompletedExceptionally())
            .toList()) {
      register(failed.configuration);
    }
  }

  private static boolean acknowledged(Registration registration) {
    return registration.sent.isDone() && !registration.sent.isCompletedExceptionally();
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }
}
