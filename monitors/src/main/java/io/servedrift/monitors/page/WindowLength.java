package io.servedrift.monitors.page;

import java.time.Duration;

/** Window lengths as the API writes them: {@code 10s}, {@code 5m}, {@code 1h}, {@code 24h}. */
public final class WindowLength {
  private WindowLength() {}

  /**
   * The text of a length, in the largest of hours, minutes, seconds and milliseconds that divides
   * it.
   */
  public static String text(Duration length) {
    long millis = length.toMillis();
    if (millis % 3_600_000 == 0) {
      return millis / 3_600_000 + "h";
    }
    if (millis % 60_000 == 0) {
      return millis / 60_000 + "m";
    }
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
