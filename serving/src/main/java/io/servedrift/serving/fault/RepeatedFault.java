package io.servedrift.serving.fault;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does a harm again and again while its fault is on, in a daemon thread of its own; for instance
 * evicts from a cache ({@link Fault#EVICTION_STORM}). A harm that fails is logged and tried again.
 */
public final class RepeatedFault implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(RepeatedFault.class);

  private final Faults faults;
  private final Fault fault;
  private final Runnable harm;
  private final ScheduledExecutorService timer;

  /**
   * Starts.
   *
   * @param every time between two harms
   * @param harm thread-safe towards the rest of the node
   */
  public RepeatedFault(Faults faults, Fault fault, Duration every, Runnable harm) {
    this.faults = faults;
    this.fault = fault;
    this.harm = harm;
    this.timer = timer(fault);
    var unused =
        timer.scheduleWithFixedDelay(
            this::tick, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static ScheduledExecutorService timer(Fault fault) {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          Thread thread = new Thread(task, "fault-" + fault.word());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** The time between two harms is over. */
  void tick() {
    if (!faults.on(fault)) {
      return;
    }
    try {
      harm.run();
    } catch (RuntimeException e) {
      // An exception would end the schedule without a word.
      log.warn("fault {} could not do its harm: {}", fault.word(), e.getClass().getName());
    }
  }

  /** Stops; a harm that is being done is finished. */
  @Override
  public void close() {
    timer.shutdown();
  }
}
