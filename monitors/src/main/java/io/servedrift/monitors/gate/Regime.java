package io.servedrift.monitors.gate;

import java.util.Locale;

/** How an arm is driven. */
public enum Regime {
  /** One request in flight, cache off: the clean path. */
  SINGLE,
  /** The same once more on the same side: is it deterministic. */
  SINGLE_AGAIN,
  /** Batch composition of production, cache as it comes. */
  PRODUCTION,
  /** The same once more: the noise floor. */
  PRODUCTION_AGAIN,
  /** Prompts that share a prefix (or a conditioning), after priming: the cache is used. */
  REUSE,
  /** The same prompts, cache bypassed. */
  RECOMPUTE,
  /** The cold-cold control of that. */
  RECOMPUTE_AGAIN,
  /** Open-loop arrivals in alternating blocks; latency counts from the scheduled arrival. */
  OPEN_LOOP,
  /** A fixed number in flight, beside the open loop. */
  FIXED_CONCURRENCY,
  /** Through the switched address, after the rollback's dry run. */
  AFTER_FLIP;

  /** The name in lower case, e.g. {@code open_loop}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether latencies of this regime come from a load test rather than from paired answers. */
  public boolean load() {
    return this == OPEN_LOOP || this == FIXED_CONCURRENCY || this == AFTER_FLIP;
  }
}
