package io.servedrift.monitors.alert;

import java.time.Duration;

/**
 * How often alerts are sent.
 *
 * @param resend pause between two sendings of an alert that has not changed
 * @param resolvedFor how long an alert is sent after it was resolved, so that a replica that was
 *     away learns of it
 */
public record AlertTimings(Duration resend, Duration resolvedFor) {
  /** Sendings that may get lost before Alertmanager takes an alert for resolved; as Prometheus. */
  private static final int LIVES = 4;

  /** How long a firing alert lasts without being sent again. */
  Duration validity() {
    return resend.multipliedBy(LIVES);
  }
}
