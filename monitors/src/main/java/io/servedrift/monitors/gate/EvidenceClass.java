package io.servedrift.monitors.gate;

import java.util.Locale;

/** What kind of evidence a check rests on. */
public enum EvidenceClass {
  /** Answers compared as they came. */
  OBSERVED_PATTERN,
  /** A load test or a dry run. */
  BENCHMARK;

  /** E.g. {@code observed pattern}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
