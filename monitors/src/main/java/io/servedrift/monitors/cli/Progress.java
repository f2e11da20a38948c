package io.servedrift.monitors.cli;

import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Function;

/**
 * One line on stderr that says how far a long command is: share, count, rate and time left. Writes
 * at most every 200 ms and nothing at all when nobody watches. Not thread-safe.
 */
final class Progress implements AutoCloseable {

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final String ERASE_LINE = "\r\u001B[K";

  private final String what;
  private final PrintWriter err;
  private final Clock clock;
  private final boolean shown;
  private final Instant startedAt;
  private Instant nextAt;
  private boolean written;

  Progress(String what, PrintWriter err, Clock clock, boolean shown) {
    this.what = what;
    this.err = err;
    this.clock = clock;
    this.shown = shown;
    this.startedAt = clock.instant();
    this.nextAt = startedAt.plus(PAUSE);
  }

  /**
   * Notes the state of the work.
   *
   * @param done items finished so far
   * @param total items in all, or 0 when that is not known
   */
  void update(long done, long total) {
    write(now -> line(done, total, Duration.between(startedAt, now)));
  }

  /**
   * Notes the state of work that comes and goes: what it did per second since its start says
   * nothing of what is left now.
   *
   * @param done items finished so far
   * @param left items that are there and not finished, or 0 when that is not known
   */
  void updateLeft(long done, long left) {
    write(
        now ->
            String.format(Locale.ROOT, "%s: %,d", what, done)
                + (left > 0 ? String.format(Locale.ROOT, ", %,d left to read", left) : ""));
  }

  private void write(Function<Instant, String> line) {
    if (!shown) {
      return;
    }
    Instant now = clock.instant();
    if (now.isBefore(nextAt)) {
      return;
    }
    nextAt = now.plus(PAUSE);
    written = true;
    err.print(ERASE_LINE + line.apply(now));
    err.flush();
  }

  private String line(long done, long total, Duration elapsed) {
    double seconds = Math.max(elapsed.toMillis(), 1) / 1000.0;
    double rate = done / seconds;
    String text = String.format(Locale.ROOT, "%s: %,d, %,.0f/s", what, done, rate);
    if (total < done || done <= 0) {
      return text;
    }
    long left = Math.round((total - done) / rate);
    return String.format(
        Locale.ROOT, "%s, %d %%, %d:%02d left", text, 100 * done / total, left / 60, left % 60);
  }

  /** Removes the line, so that what follows starts on a clean one. */
  @Override
  public void close() {
    if (written) {
      err.print(ERASE_LINE);
      err.flush();
      written = false;
    }
  }
}
