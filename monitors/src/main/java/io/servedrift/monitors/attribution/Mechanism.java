package io.servedrift.monitors.attribution;

import java.util.Locale;

/** How a cause moves a metric. */
public enum Mechanism {
  /** Requests in the cell got worse. */
  EFFECT,
  /** More requests fall into the slow or bad cell. */
  EXPOSURE;

  /** Name in findings. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
