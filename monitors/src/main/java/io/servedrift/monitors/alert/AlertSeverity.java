package io.servedrift.monitors.alert;

import java.util.Locale;
import java.util.Optional;

/** Whom an alert reaches, the milder one first. */
public enum AlertSeverity {
  /** Shown and routed, wakes nobody. */
  TICKET,
  /** Wakes somebody. */
  PAGE;

  /** The value of the label {@code severity}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The severity of this word; empty for {@code info} and anything else that is not forwarded. */
  static Optional<AlertSeverity> of(String word) {
    for (AlertSeverity one : values()) {
      if (one.word().equals(word)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }
}
