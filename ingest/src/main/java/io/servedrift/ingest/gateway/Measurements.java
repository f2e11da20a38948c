package io.servedrift.ingest.gateway;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes ended exchanges off the way of the traffic: they wait in a bounded queue for one thread
 * that reads them. When it cannot keep up, exchanges are dropped and counted; nobody waits.
 * Thread-safe.
 */
final class Measurements implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Measurements.class);

  /** Says what kind of prompt a request has; for the gateway alone. */
  static final String PROMPT_CLASS = "X-Servedrift-Prompt-Class";

  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final int WAITING = 4_096;
  private static final int MAX_CLASS = 64;
  private static final int IDLE_MILLIS = 100;
  private static final int PAUSE_MILLIS = 5;

  /** Largest answer to a poll that is read, bytes. */
  private static final int POLL = 64 * 1024;

  private final GatewaySettings settings;
  private final GatewayCounts counts;
  private final @Nullable CanaryPrompts canaries;
  private final Consumer<Exchange> reader;
  private final Clock clock;
  private final CaptureBudget budget;
  private final AtomicInteger running = new AtomicInteger();
  private final BlockingQueue<Exchange> ended = new ArrayBlockingQueue<>(WAITING);
  private final Thread thread = new Thread(this::readAll, "gateway-measuring");
  private volatile boolean cutting;
  private volatile boolean closing;
  private volatile boolean closed;

  /**
   * @param canaries the canary prompts that may come; null for none
   * @param reader makes events of an exchange; called on one thread
   */
  Measurements(
      GatewaySettings settings,
      GatewayCounts counts,
      @Nullable CanaryPrompts canaries,
      Consumer<Exchange> reader,
      Clock clock) {
    this.settings = settings;
    this.counts = counts;
    this.canaries = canaries;
    this.reader = reader;
    this.clock = clock;
    this.budget = new CaptureBudget(settings.captureBudget());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** The exchange of a request, null when it is not measured. */
  @Nullable Exchange begin(Request request) {
    Route route = Route.of(request.getMethod(), request.getHttpURI().getPath());
    if (route == null) {
      counts.add(Count.PASSED);
      return null;
    }
    counts.add(route.isMeasured() ? Count.MEASURED : Count.PASSED);
    Canary canary =
        canaries == null ? null : canaries.of(request.getHeaders().get(CanaryPrompts.HEADER));
    Exchange exchange =
        new Exchange(
            route,
            clock.instant(),
            request.getHeadersNanoTime(),
            route.isMeasured() ? running.incrementAndGet() : running.get(),
            canary,
            canary == null ? promptClass(request) : "canary",
            budget,
            route.isMeasured() ? settings.captureLimit() : Math.min(POLL, settings.captureLimit()));
    if (request.getHeaders().contains(HttpHeader.CONTENT_ENCODING)) {
      exchange.askEncoded();
    }
    return exchange;
  }

  private static @Nullable String promptClass(Request request) {
    String given = request.getHeaders().get(PROMPT_CLASS);
    return given == null || given.isBlank() || given.length() > MAX_CLASS ? null : given.strip();
  }

  /** Notes how an exchange ended; only the first end counts. */
  void end(@Nullable Exchange exchange, Outcome outcome) {
    if (exchange == null || !exchange.end(outcome)) {
      return;
    }
    if (!exchange.route().isMeasured()) {
      if (outcome != Outcome.COMPLETE) {
        exchange.release();
      } else if (!ended.offer(exchange)) {
        counts.add(Count.POLL_UNREAD);
        exchange.release();
      }
      return;
    }
    running.decrementAndGet();
    switch (outcome) {
      case COMPLETE -> {}
      case CANCELLED -> counts.add(Count.CANCELLED);
      case UNREACHABLE, RESET, TIMEOUT -> counts.add(Count.UPSTREAM_FAILED);
    }
    boolean cutByUs = cutting && outcome != Outcome.COMPLETE;
    if (cutByUs || !ended.offer(exchange) || (closed && ended.remove(exchange))) {
      drop(exchange);
    }
  }

  /** Ends an exchange that never got on its way. */
  void giveUp(@Nullable Exchange exchange) {
    if (exchange != null && exchange.end(Outcome.CANCELLED)) {
      if (exchange.route().isMeasured()) {
        running.decrementAndGet();
      }
      drop(exchange);
    }
  }

  private void drop(Exchange exchange) {
    if (exchange.route().isMeasured()) {
      counts.add(Count.MEASURING_DROPPED);
    }
    exchange.release();
  }

  /** From now on it is the gateway that cuts requests off, which says nothing of the serving. */
  void cutOff() {
    cutting = true;
  }

  /** Measured requests under way. */
  int running() {
    return running.get();
  }

  /** Bytes of bodies kept now. */
  long capturedBytes() {
    return budget.taken();
  }

  private void readAll() {
    try {
      while (!closing || !ended.isEmpty()) {
        Exchange exchange = ended.poll(IDLE_MILLIS, TimeUnit.MILLISECONDS);
        if (exchange == null) {
          continue;
        }
        while (exchange != null) {
          read(exchange);
          exchange = ended.poll();
        }
        // While this one sleeps, no thread that carries traffic has to wake it.
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(Exchange exchange) {
    try {
      reader.accept(exchange);
    } catch (RuntimeException | StackOverflowError e) {
      // A defect of ours must not end the measuring of what follows.
      if (exchange.route().isMeasured()) {
        counts.add(Count.UNPUBLISHABLE);
      }
      LOG.warn("an exchange could not be measured: {}", e.getClass().getSimpleName());
    } finally {
      exchange.release();
    }
  }

  @Override
  public void close() {
    close(CLOSE);
  }

  /** Reads what waits, for so long at most; what is left then is dropped and counted. */
  void close(Duration longest) {
    closing = true;
    try {
      thread.join(longest.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closed = true;
    Exchange left = ended.poll();
    while (left != null) {
      drop(left);
      left = ended.poll();
    }
  }
}
