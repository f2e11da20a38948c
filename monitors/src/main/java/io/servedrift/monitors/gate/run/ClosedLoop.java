package io.servedrift.monitors.gate.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keeps a fixed number of requests in flight. One run at a time. */
final class ClosedLoop {
  private static final long LOOK_MILLIS = 50;

  /** Gives what to ask next. Called by several threads. */
  interface Source {
    /** The next item, null when there are no more. */
    @Nullable Item next();

    /** An answer to an item has come. */
    default void answered(Item item) {}

    /** Whether requests in flight are not worth waiting for any more. */
    default boolean isOver() {
      return false;
    }
  }

  private final Timeline timeline;
  private final RateLimit limit;
  private final Ask ask;
  private final BooleanSupplier stopped;

  ClosedLoop(Timeline timeline, RateLimit limit, Ask ask, BooleanSupplier stopped) {
    this.timeline = timeline;
    this.limit = limit;
    this.ask = ask;
    this.stopped = stopped;
  }

  /**
   * Asks all that the source gives and waits for the answers.
   *
   * @param concurrency requests in flight
   * @param sink takes each answer, on any thread
   */
  void run(int concurrency, Source source, Consumer<Sent> sink) throws InterruptedException {
    ExecutorService clients = Executors.newFixedThreadPool(concurrency, ClosedLoop::thread);
    AtomicInteger inFlight = new AtomicInteger();
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < concurrency; i++) {
        running.add(
            clients.submit(
                () -> {
                  client(source, inFlight, sink);
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a client of the gate broke", e.getCause());
    } finally {
      clients.shutdownNow();
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "servedrift-gate-client");
    thread.setDaemon(true);
    return thread;
  }

  private void client(Source source, AtomicInteger inFlight, Consumer<Sent> sink)
      throws InterruptedException, ExecutionException {
    while (!stopped.getAsBoolean()) {
      Item item = source.next();
      if (item == null || !limit.await(stopped)) {
        return;
      }
      int now = inFlight.incrementAndGet();
      long sent = timeline.nanos();
      Reply reply = await(ask.ask(item), source);
      inFlight.decrementAndGet();
      if (reply == null) {
        return;
      }
      sink.accept(new Sent(item, sent, sent, now, reply));
      source.answered(item);
    }
  }

  /** The reply, null when it was given up. */
  private @Nullable Reply await(CompletableFuture<Reply> reply, Source source)
      throws InterruptedException, ExecutionException {
    while (true) {
      try {
        return reply.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (stopped.getAsBoolean() || source.isOver()) {
          reply.cancel(true);
          return null;
        }
      }
    }
  }
}
