package io.servedrift.monitors.attribution;

import java.util.Locale;

/** What a shift is charged to, named as in findings. */
public enum Cause {
  /** Cache hits got worse, or the share of hits moved among like requests. */
  CACHE,
  /** Larger batches got worse, or batches grew at the same load. */
  BATCHING,
  /** Preempted requests got worse, or more are preempted at the same load and batch. */
  SCHEDULING,
  /** More or fewer arrivals. */
  LOAD,
  /** Other kinds of requests at the same load. */
  TRAFFIC_MIX,
  /** One node got worse. */
  NODE,
  /** Requests of all kinds moved and the configuration is another one. */
  CONFIG_CHANGE,
  /** Scores moved together and come from another scorer. */
  SCORER_CHANGE,
  /** Requests of all kinds moved, on the clean path too, and the model is another one. */
  MODEL,
  /** Requests of all kinds moved, on the clean path too, and nothing recorded changed. */
  UNEXPLAINED,
  /** The data of this window cannot tell. */
  INCONCLUSIVE;

  /** Name in findings. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it says what arrived, not how it was served. */
  boolean traffic() {
    return this == LOAD || this == TRAFFIC_MIX;
  }

  /** Whether the serving layer did it in a way that cells can show. */
  public boolean serving() {
    return this == CACHE || this == BATCHING || this == SCHEDULING || this == NODE;
  }
}
