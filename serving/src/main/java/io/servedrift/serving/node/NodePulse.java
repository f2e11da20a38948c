package io.servedrift.serving.node;

import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the node does by the clock, on one thread: heartbeats, and a look at the counters whose
 * bursts are events: evictions of the cache and preemptions.
 */
final class NodePulse implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodePulse.class);

  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration WINDOW = Duration.ofSeconds(10);

  /**
   * So many evictions within the window are a storm. Low, because it is told once: a cache that is
   * too small for its traffic evicts all the time, and that too should be seen when it begins.
   */
  static final long EVICTION_STORM = 20;

  /** So many preemptions within the window are pressure. */
  static final long PREEMPTION_PRESSURE = 20;

  private final EventJournal journal;
  private final LongSupplier evictions;
  private final LongSupplier preemptions;
  private final LongSupplier nanoTime;
  private final BurstWatch evictionBursts = new BurstWatch(WINDOW, EVICTION_STORM);
  private final BurstWatch preemptionBursts = new BurstWatch(WINDOW, PREEMPTION_PRESSURE);
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "node-pulse");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Does nothing before {@link #start}.
   *
   * @param evictions entries evicted since the start
   * @param preemptions preemptions since the start
   */
  NodePulse(
      EventJournal journal,
      LongSupplier evictions,
      LongSupplier preemptions,
      LongSupplier nanoTime) {
    this.journal = journal;
    this.evictions = evictions;
    this.preemptions = preemptions;
    this.nanoTime = nanoTime;
  }

  /** Begins, with a heartbeat each interval. */
  void start(Duration heartbeat) {
    repeat(journal::heartbeat, heartbeat);
    repeat(this::look, LOOK);
  }

  private void repeat(Runnable task, Duration every) {
    var unused =
        timer.scheduleAtFixedRate(
            () -> guarded(task), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      // An exception would end the schedule without a word.
      LOG.warn("a task of the node's clock failed: {}", e.getClass().getName());
    }
  }

  /** Looks at the counters once. */
  void look() {
    long now = nanoTime.getAsLong();
    evictionBursts
        .observe(now, evictions.getAsLong())
        .ifPresent(n -> burst(ServingEventKind.CACHE_EVICTIONS, n));
    preemptionBursts
        .observe(now, preemptions.getAsLong())
        .ifPresent(n -> burst(ServingEventKind.PREEMPTION_PRESSURE, n));
  }

  private void burst(ServingEventKind kind, long count) {
    journal.happened(kind, Map.of("count", "" + count, "window_seconds", "" + WINDOW.toSeconds()));
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
