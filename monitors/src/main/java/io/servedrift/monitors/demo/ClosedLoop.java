package io.servedrift.monitors.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Clients that ask for an image, wait for it, think for a moment and ask again, each on a thread of
 * its own. How many of them ask follows a {@link Load}. Thread-safe.
 */
public final class ClosedLoop implements AutoCloseable {
  private static final double MEAN_THINKING_SECONDS = .05;
  private static final Duration REST = Duration.ofMillis(50);
  private static final Duration CLOSE = Duration.ofSeconds(10);

  /** Asks for one image and waits for it. */
  @FunctionalInterface
  public interface Call {
    /**
     * Blocks until the image is there.
     *
     * @param random of this client alone
     * @throws IOException when there is none, saying why
     */
    void ask(RandomGenerator random) throws IOException, InterruptedException;
  }

  private final Load load;
  private final Call call;
  private final long startNanos = System.nanoTime();
  private final List<Thread> threads = new ArrayList<>();
  private final LatestLatencies all = new LatestLatencies();
  private final LatestLatencies ofBusyTimes = new LatestLatencies();
  private long failures;
  private @Nullable String failure;
  private volatile boolean closed;

  private ClosedLoop(Load load, Call call) {
    this.load = load;
    this.call = call;
  }

  /** Starts the clients of a load; the same seed gives each client the same prompts. */
  public static ClosedLoop start(Load load, long seed, Call call) {
    ClosedLoop loop = new ClosedLoop(load, call);
    SplittableRandom root = new SplittableRandom(seed);
    for (int i = 0; i < load.most(); i++) {
      int client = i;
      SplittableRandom random = root.split();
      Thread thread =
          new Thread(() -> loop.run(client, random), "servedrift-demo-client-" + client);
      thread.setDaemon(true);
      loop.threads.add(thread);
    }
    loop.threads.forEach(Thread::start);
    return loop;
  }

  private void run(int client, RandomGenerator random) {
    try {
      while (!closed) {
        if (client >= load.clients(elapsed())) {
          Thread.sleep(REST.toMillis());
          continue;
        }
        ask(random);
        Thread.sleep(Math.round(-1000 * MEAN_THINKING_SECONDS * Math.log1p(-random.nextDouble())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void ask(RandomGenerator random) throws InterruptedException {
    boolean busy = load.busy(elapsed());
    long begin = System.nanoTime();
    try {
      call.ask(random);
    } catch (IOException e) {
      failed(String.valueOf(e.getMessage()));
      // A node that refuses at once must not be asked in a tight loop.
      Thread.sleep(REST.toMillis());
      return;
    }
    got((System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1), busy);
  }

  private synchronized void got(double latency, boolean busy) {
    all.add(latency);
    if (busy) {
      ofBusyTimes.add(latency);
    }
  }

  private synchronized void failed(String why) {
    if (!closed) {
      failures++;
      failure = why;
    }
  }

  /** Time since the start. */
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  /** What the clients have seen so far. */
  public synchronized LoadNumbers numbers() {
    return all.numbers(failures, failure);
  }

  /** What they saw of requests that were sent in a busy time. */
  public synchronized LoadNumbers whenBusy() {
    return ofBusyTimes.numbers(0, null);
  }

  /** Stops all clients; those that wait for an image give up. */
  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    long end = System.nanoTime() + CLOSE.toNanos();
    try {
      for (Thread thread : threads) {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
