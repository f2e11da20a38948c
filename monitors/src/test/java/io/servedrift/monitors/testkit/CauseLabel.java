package io.servedrift.monitors.testkit;

import java.util.Locale;

/** The causes of findings as the contract names them, and silence where none is right. */
public enum CauseLabel {
  CACHE,
  BATCHING,
  SCHEDULING,
  LOAD,
  TRAFFIC_MIX,
  NODE,
  CONFIG_CHANGE,
  SCORER_CHANGE,
  MODEL,
  UNEXPLAINED,
  INCONCLUSIVE,
  /** Nothing is wrong: any page or ticket is a false alarm. */
  SILENCE;

  /** The contract's word. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The label of the contract's word. */
  public static CauseLabel of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /** Whether it lies in how requests are served: what must never be called {@link #MODEL}. */
  public boolean isServing() {
    return this == CACHE || this == BATCHING || this == SCHEDULING || this == NODE;
  }
}
