package io.servedrift.monitors.alert;

import io.servedrift.schemas.Topics;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends findings to every replica of Alertmanager. Reads the findings topic in a consumer group of
 * its own, so that of several instances one answers for each deployment; keeps the state of alerts
 * in the compacted alerts topic, so that a restart or another instance neither loses nor doubles
 * one. Works on threads of its own and never holds up the topology. After an error of the broker it
 * begins anew from what was stored. Thread-safe.
 */
public final class AlertForwarder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AlertForwarder.class);
  private static final long RETRY_MILLIS = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final Options options;
  private final List<ReplicaSender> senders;
  private final ForwarderCounters counters = new ForwarderCounters();

  /**
   * Nobody else's; the group's generation fences. The same for each session: the next one ends what
   * an earlier one left open, and the broker need not remember an id for each attempt.
   */
  private final String transactionalId;

  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private boolean failing;
  private volatile @Nullable AlertSession session;

  /**
   * What a forwarder works with. Immutable.
   *
   * @param kafka client properties, with {@code bootstrap.servers}
   * @param applicationId of the monitor; instances that share the work share it
   * @param conditions what holds now beside findings; empty while that is not known. Asked on the
   *     forwarder's thread several times a second, must answer quickly.
   */
  public record Options(
      Map<String, Object> kafka,
      String applicationId,
      Topics topics,
      AlertmanagerAccess alertmanager,
      AlertTimings timings,
      AlertLinks links,
      Supplier<Optional<List<Condition>>> conditions,
      Clock clock) {
    /** Keeps its own map. */
    public Options {
      kafka = Map.copyOf(kafka);
    }

    String group() {
      return applicationId + "-alerts";
    }
  }

  private AlertForwarder(Options options) {
    this.options = options;
    this.transactionalId = options.group() + "-" + UUID.randomUUID();
    this.senders =
        options.alertmanager().replicas().stream()
            .map(replica -> new AlertmanagerClient(options.alertmanager(), replica))
            .map(client -> new ReplicaSender(client, options.clock()))
            .toList();
    this.thread = new Thread(this::run, "servedrift-alerts");
    this.thread.setDaemon(true);
    this.thread.setUncaughtExceptionHandler(
        (ended, error) -> LOG.error("alerts: the thread has ended, none is sent any more", error));
  }

  /** Starts reading and sending. */
  public static AlertForwarder start(Options options) {
    AlertForwarder forwarder = new AlertForwarder(options);
    forwarder.senders.forEach(ReplicaSender::start);
    forwarder.thread.start();
    return forwarder;
  }

  /** State and counters now. */
  public ForwarderStatus status() {
    return counters.status(senders);
  }

  /**
   * Stops sending and leaves the group. Alerts that fire go on firing until another instance, or
   * this one after a restart, takes them over; if none does, Alertmanager lets them end.
   */
  @Override
  public void close() {
    closing.countDown();
    AlertSession current = session;
    if (current != null) {
      current.wakeUp();
    }
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    senders.forEach(ReplicaSender::close);
  }

  private boolean closed() {
    return closing.getCount() == 0;
  }

  private void run() {
    try {
      while (!closed()) {
        join();
        pause();
      }
    } finally {
      counters.ended();
    }
  }

  private void join() {
    try (AlertSession current = new AlertSession(options, transactionalId, counters, senders)) {
      session = current;
      Optional<String> missing = current.missingTopics();
      if (missing.isPresent()) {
        counters.waiting(missing.get());
      } else if (!closed()) {
        current.run(this::works);
      }
    } catch (WakeupException e) {
      LOG.debug("alerts: woken up to end");
    } catch (RuntimeException e) {
      failed(e);
      counters.waiting("reading failed: " + e.getClass().getSimpleName());
    }
  }

  /** Said once until it works again; a broker that is away for hours must not fill the log. */
  private void failed(RuntimeException why) {
    if (!failing) {
      failing = true;
      LOG.warn(
          "alerts: reading findings failed, beginning anew each second; look whether the broker is"
              + " up (/-/ready, component broker)",
          why);
    }
  }

  private void works() {
    if (failing) {
      failing = false;
      LOG.info("alerts: reading again");
    }
  }

  private void pause() {
    try {
      boolean ignored = closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      closing.countDown();
    }
  }
}
