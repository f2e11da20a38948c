package io.servedrift.monitors.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Threads that share work which must be done before anything goes on. Used by one thread. */
final class Workers implements AutoCloseable {
  private final @Nullable ExecutorService pool;

  /**
   * @param threads how many; with 1 the caller does the work itself
   */
  Workers(int threads) {
    this.pool =
        threads <= 1
            ? null
            : Executors.newFixedThreadPool(
                threads,
                task -> {
                  Thread thread = new Thread(task, "replay");
                  thread.setDaemon(true);
                  return thread;
                });
  }

  /** Does all of it and adds up the results. What one throws is thrown. */
  long sum(List<Callable<Long>> work) {
    try {
      long sum = 0;
      if (pool == null || work.size() == 1) {
        for (Callable<Long> one : work) {
          sum += one.call();
        }
        return sum;
      }
      List<Future<Long>> results = new ArrayList<>(pool.invokeAll(work));
      for (Future<Long> result : results) {
        sum += result.get();
      }
      return sum;
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw unchecked(e.getCause() == null ? e : e.getCause());
    } catch (Exception e) {
      throw unchecked(e);
    }
  }

  private static RuntimeException unchecked(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException failure
        ? failure
        : new IllegalStateException("the core throws no checked exception", thrown);
  }

  @Override
  public void close() {
    if (pool != null) {
      pool.shutdownNow();
    }
  }
}
