package io.servedrift.monitors.demo;

import io.servedrift.schemas.EventTimes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;

/**
 * Hands events to a sink when the clock reaches their event time, on a thread of its own. More
 * traffic per second comes from the model's load, not from a faster clock: an event ahead of the
 * clock would have to wait in the pipeline.
 */
public final class DemoDriver implements AutoCloseable {
  private static final Duration CLOSE = Duration.ofSeconds(5);

  /** Waits; a test gives one that moves its clock. */
  @FunctionalInterface
  public interface Pause {
    /** Waits this long. */
    void sleep(Duration time) throws InterruptedException;
  }

  private final Iterator<SpecificRecord> events;
  private final Predicate<SpecificRecord> sink;
  private final Clock clock;
  private final Pause pause;
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final Thread thread = new Thread(this::run, "servedrift-demo-traffic");
  private volatile boolean closed;

  /**
   * A driver of these events, not yet started.
   *
   * @param events in event-time order
   * @param sink takes an event, false when it could not; must not block
   * @param clock paces the events
   * @param pause waits between them
   */
  public DemoDriver(
      Iterator<SpecificRecord> events, Predicate<SpecificRecord> sink, Clock clock, Pause pause) {
    this.events = events;
    this.sink = sink;
    this.clock = clock;
    this.pause = pause;
    this.thread.setDaemon(true);
  }

  /** Starts a driver on the machine's clock. */
  public static DemoDriver start(Iterator<SpecificRecord> events, Predicate<SpecificRecord> sink) {
    DemoDriver driver =
        new DemoDriver(
            events,
            sink,
            Clock.systemUTC(),
            time -> Thread.sleep(time.toMillis(), time.toNanosPart() % 1_000_000));
    driver.thread.start();
    return driver;
  }

  /** Drives until the events end or {@link #close} is called; blocks. */
  void run() {
    try {
      while (!closed && events.hasNext()) {
        SpecificRecord event = events.next();
        Instant at = EventTimes.of(event);
        for (Instant now = clock.instant(); !closed && now.isBefore(at); now = clock.instant()) {
          pause.sleep(Duration.between(now, at));
        }
        if (!closed) {
          (sink.test(event) ? offered : refused).incrementAndGet();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Events that the sink took. */
  public long offered() {
    return offered.get();
  }

  /** Events that the sink did not take. */
  public long refused() {
    return refused.get();
  }

  /** Stops; returns when the thread has ended, after 5 s at the latest. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(CLOSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
