package io.servedrift.monitors.alert;

import io.servedrift.monitors.alert.AlertmanagerClient.Answer;
import io.servedrift.monitors.alert.AlertmanagerClient.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends alerts to one replica, on a thread of its own, so that a replica that hangs delays neither
 * the others nor the reading of findings. Of each alert only the latest version waits: the room
 * needed is bounded by the number of alerts, and after an outage nothing outdated is sent.
 * Thread-safe.
 */
final class ReplicaSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaSender.class);
  private static final int BATCH = 64;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final long JOIN_MILLIS = 2_000;

  /** A refusal may have been no fault of the alert, and one that is never sent again would end. */
  private static final Duration REFUSED_FOR = Duration.ofMinutes(5);

  private final AlertmanagerClient client;
  private final Clock clock;
  private final Thread thread;
  private final Map<AlertKey, AlertMessage> waiting = new LinkedHashMap<>();

  /** Refused alerts in their refused form: sending the same again would be refused again. */
  private final Map<AlertKey, Refusal> refused = new HashMap<>();

  /** Alerts of the request that is on its way. */
  private final Set<AlertKey> onTheWay = new HashSet<>();

  private long sent;
  private long failed;
  private long rejected;
  private int failures;
  private String problem = "";
  private @Nullable Instant lastSuccess;
  private boolean closed;

  private record Refusal(AlertMessage message, Instant at) {}

  ReplicaSender(AlertmanagerClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
    this.thread = new Thread(this::run, "servedrift-alertmanager-" + client.name());
    this.thread.setDaemon(true);
    // The class only: a message may hold what is secret.
    this.thread.setUncaughtExceptionHandler(
        (ended, error) ->
            LOG.error(
                "Alertmanager {}: the thread has ended, it is sent nothing any more: {}",
                client.name(),
                error.getClass().getName()));
  }

  void start() {
    thread.start();
  }

  /** Takes alerts to send; each takes the place of an earlier version that still waits. */
  synchronized void offer(Collection<AlertMessage> messages) {
    Instant old = clock.instant().minus(REFUSED_FOR);
    refused.values().removeIf(refusal -> !refusal.at().isAfter(old));
    for (AlertMessage message : messages) {
      Refusal before = refused.get(message.key());
      if (before == null || !before.message().saysSameAs(message)) {
        refused.remove(message.key());
        waiting.put(message.key(), message);
      }
    }
    notifyAll();
  }

  /** Drops what waits of alerts that another process answers for now. */
  synchronized void withdraw(Collection<AlertKey> keys) {
    waiting.keySet().removeAll(keys);
    onTheWay.removeAll(keys);
    refused.keySet().removeAll(keys);
  }

  synchronized ReplicaStatus status() {
    return new ReplicaStatus(
        client.name(),
        thread.isAlive(),
        sent,
        failed,
        rejected,
        waiting.size(),
        Optional.ofNullable(lastSuccess),
        problem);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.interrupt();
    try {
      thread.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (true) {
        List<AlertMessage> batch = next();
        if (batch.isEmpty()) {
          return;
        }
        send(batch);
        pause();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for something to send; empty at the end. */
  private synchronized List<AlertMessage> next() throws InterruptedException {
    while (waiting.isEmpty() && !closed) {
      wait();
    }
    List<AlertMessage> batch = new ArrayList<>();
    if (!closed) {
      waiting.values().stream().limit(BATCH).forEach(batch::add);
      batch.forEach(message -> waiting.remove(message.key()));
      onTheWay.clear();
      batch.forEach(message -> onTheWay.add(message.key()));
    }
    return batch;
  }

  private void send(List<AlertMessage> batch) throws InterruptedException {
    Answer answer = post(batch);
    if (answer.outcome() == Outcome.REFUSED && batch.size() > 1) {
      // Which one was refused is not said: one by one. Those that were stored are stored again.
      for (AlertMessage message : batch) {
        settle(List.of(message), post(List.of(message)));
      }
    } else {
      settle(batch, answer);
    }
  }

  private Answer post(List<AlertMessage> batch) throws InterruptedException {
    try {
      return client.post(batch);
    } catch (RuntimeException e) {
      // The class only: the message may hold a header, and so a secret.
      return new Answer(Outcome.FAILED, "cannot send: " + e.getClass().getName());
    }
  }

  private synchronized void settle(List<AlertMessage> batch, Answer answer) {
    switch (answer.outcome()) {
      case TAKEN -> {
        sent += batch.size();
        answered();
        problem = "";
        lastSuccess = clock.instant();
      }
      case REFUSED -> {
        rejected += batch.size();
        batch.forEach(message -> refused(message, answer.reason()));
        answered();
        problem = answer.reason();
      }
      case FAILED -> {
        failed += batch.size();
        batch.stream()
            .filter(message -> onTheWay.contains(message.key()))
            .forEach(message -> waiting.putIfAbsent(message.key(), message));
        if (failures == 0) {
          LOG.warn(
              "Alertmanager {}: alerts cannot be sent and are tried again until they can: {}",
              client.name(),
              answer.reason());
        }
        failures++;
        problem = answer.reason();
      }
    }
  }

  private void answered() {
    if (failures > 0) {
      LOG.info("Alertmanager {}: answers again", client.name());
    }
    failures = 0;
  }

  private void refused(AlertMessage message, String reason) {
    refused.put(message.key(), new Refusal(message, clock.instant()));
    LOG.warn(
        "Alertmanager {}: refuses the alert {}, which is sent again when it changes or after {}"
            + " minutes: {}",
        client.name(),
        message.key(),
        REFUSED_FOR.toMinutes(),
        reason);
  }

  /** After failures: twice as long each time, and by chance, so that not all come back at once. */
  private synchronized void pause() throws InterruptedException {
    if (failures == 0) {
      return;
    }
    long longest =
        Math.min(LONGEST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.min(failures - 1, 10));
    long millis = ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (millis > 0 && !closed) {
      wait(millis);
      millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }
}
