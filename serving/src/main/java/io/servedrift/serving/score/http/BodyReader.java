package io.servedrift.serving.score.http;

import jakarta.servlet.ServletInputStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reads bodies within a limit of bytes and of time while no thread waits for the sender. The time
 * runs from the first look to the last byte: a sender of a byte now and then never runs into the
 * connection's idle time-out. Thread-safe.
 */
final class BodyReader implements AutoCloseable {

  private final int limit;
  private final Duration allowed;
  private final BodyBudget budget;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(BodyReader::timerThread);

  /**
   * A reader.
   *
   * @param limit largest body, bytes
   * @param atOnce bytes of all bodies that are being read or worked on
   */
  BodyReader(int limit, long atOnce, Duration allowed) {
    this.limit = limit;
    this.allowed = allowed;
    this.budget = new BodyBudget(atOnce);
  }

  /** Begins to read; the call must be asynchronous already. To be released when it is answered. */
  ArrivingBody read(ServletInputStream in) {
    ArrivingBody body = new ArrivingBody(in, limit, budget);
    ScheduledFuture<?> late =
        timer.schedule(
            () ->
                body.fail(
                    ApiException.refused(
                        408,
                        "timeout",
                        "body not complete within " + allowed + ": send it faster")),
            allowed.toMillis(),
            TimeUnit.MILLISECONDS);
    var unused = body.complete().whenComplete((bytes, failure) -> late.cancel(false));
    in.setReadListener(body);
    return body;
  }

  /** Bytes of bodies that are being read or worked on. */
  long held() {
    return budget.held();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private static Thread timerThread(Runnable task) {
    Thread thread = new Thread(task, "scorer-body-timer");
    thread.setDaemon(true);
    return thread;
  }
}
