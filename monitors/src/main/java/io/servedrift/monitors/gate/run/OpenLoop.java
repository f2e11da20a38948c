package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.AnswerStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Sends requests when they are due, however many are unanswered, so that a stall shows in the
 * latency of every request that arrives during it (no coordinated omission; G. Tene, "How NOT to
 * Measure Latency", 2013). One run at a time.
 */
final class OpenLoop {
  /** Beyond it the endpoint is so far behind that more would only cost memory here. */
  static final int MOST_IN_FLIGHT = 10_000;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Timeline timeline;
  private final Ask ask;
  private final BooleanSupplier stopped;

  OpenLoop(Timeline timeline, Ask ask, BooleanSupplier stopped) {
    this.timeline = timeline;
    this.ask = ask;
    this.stopped = stopped;
  }

  /**
   * Sends all and waits for the answers; those outstanding at a stop are given up.
   *
   * @param arrivals nanoseconds from now, ascending
   * @param items what to ask, one for each arrival
   * @param sink takes each answer, on any thread
   */
  void run(long[] arrivals, List<Item> items, Consumer<Sent> sink) throws InterruptedException {
    long start = timeline.nanos();
    AtomicInteger inFlight = new AtomicInteger();
    Map<Integer, CompletableFuture<Reply>> outstanding = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> handled = new ArrayList<>();
    for (int i = 0; i < arrivals.length && waitUntil(start + arrivals[i]); i++) {
      long scheduled = start + arrivals[i];
      Item item = items.get(i);
      int number = i;
      int now = inFlight.incrementAndGet();
      long sent = timeline.nanos();
      CompletableFuture<Reply> reply = now > MOST_IN_FLIGHT ? refused(sent) : ask.ask(item);
      outstanding.put(number, reply);
      handled.add(
          reply.handle(
              (got, failure) -> {
                inFlight.decrementAndGet();
                outstanding.remove(number);
                if (got != null) {
                  sink.accept(new Sent(item, scheduled, sent, now, got));
                }
                return null;
              }));
      handled.removeIf(OpenLoop::isOver);
    }
    awaitAll(handled, outstanding);
  }

  /** Over and well: a failure of the sink is kept until it can be told. */
  private static boolean isOver(CompletableFuture<?> one) {
    return one.isDone() && !one.isCompletedExceptionally();
  }

  private static CompletableFuture<Reply> refused(long nanos) {
    return CompletableFuture.completedFuture(
        Reply.failed(AnswerStatus.ERROR, "too_many_in_flight", nanos));
  }

  /** Waits in short turns; whether to go on. */
  private boolean waitUntil(long nanos) throws InterruptedException {
    for (long left = nanos - timeline.nanos(); left > 0; left = nanos - timeline.nanos()) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      timeline.sleepUntil(timeline.nanos() + Math.min(left, LOOK_NANOS));
    }
    return !stopped.getAsBoolean();
  }

  private void awaitAll(
      Collection<CompletableFuture<?>> handled, Map<Integer, CompletableFuture<Reply>> outstanding)
      throws InterruptedException {
    while (!outstanding.isEmpty()) {
      if (stopped.getAsBoolean()) {
        outstanding.values().forEach(one -> one.cancel(true));
      }
      timeline.sleepUntil(timeline.nanos() + LOOK_NANOS / 10);
    }
    CompletableFuture.allOf(handled.toArray(CompletableFuture[]::new)).join();
  }
}
