package io.servedrift.monitors.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongFunction;

/**
 * How much is run.
 *
 * @param full the whole table; false: a first impression
 * @param most runs of one kind at most; 0: as many as the size says
 * @param seed first seed
 * @param threads that runs are spread over; the results do not depend on it
 */
record AcceptanceSize(boolean full, int most, long seed, int threads) {
  /** Seeds that nothing was ever tuned with begin here. */
  static final long RESERVED_SEEDS = 900_000;

  /** Number of runs. */
  int of(int quick, int whole) {
    int n = full ? whole : quick;
    return most > 0 ? Math.min(n, most) : n;
  }

  /** Runs something for so many seeds; the results come in the order of the seeds. */
  <T> List<T> forSeeds(int n, LongFunction<T> run) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < n; i++) {
        long one = seed + i;
        running.add(pool.submit(() -> run.apply(one)));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) {
        results.add(future.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a run failed: " + e.getCause(), e);
    } finally {
      pool.shutdownNow();
    }
  }
}
