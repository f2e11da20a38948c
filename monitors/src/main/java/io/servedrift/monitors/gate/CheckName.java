package io.servedrift.monitors.gate;

import java.util.Locale;

/** The checks, in the order they are shown. */
public enum CheckName {
  SEED_PARITY(
      EvidenceClass.OBSERVED_PATTERN,
      "another sampler, precision or kernel: other outputs at batch 1 with the cache off",
      "canary prompts: identical share and distance per configuration"),
  BATCH_COMPOSITION(
      EvidenceClass.OBSERVED_PATTERN,
      "outputs that depend on which requests share the batch",
      "scores by batch-size cell"),
  CACHE_PARITY(
      EvidenceClass.OBSERVED_PATTERN,
      "stale or wrong cache entries: reuse gives something else than recomputing",
      "scores of cache hits against misses"),
  P99_UNDER_LOAD(
      EvidenceClass.BENCHMARK,
      "a scheduler or batching mode whose tail is longer under sustained arrivals",
      "p99 per configuration, with interval"),
  PROXY_DRIFT(
      EvidenceClass.OBSERVED_PATTERN,
      "worse outputs, whatever the reason, as far as the scores see it",
      "score distribution per configuration"),
  ROLLBACK(
      EvidenceClass.BENCHMARK,
      "a way back that loses requests, or that ends in another configuration",
      "configuration change and error ratio after every switch");

  private final EvidenceClass evidence;
  private final String catches;
  private final String standingMonitor;

  CheckName(EvidenceClass evidence, String catches, String standingMonitor) {
    this.evidence = evidence;
    this.catches = catches;
    this.standingMonitor = standingMonitor;
  }

  /** E.g. {@code seed_parity}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What its verdict rests on. */
  public EvidenceClass evidence() {
    return evidence;
  }

  /** What it is there to catch. */
  public String catches() {
    return catches;
  }

  /** What watches the same after the switch. */
  public String standingMonitor() {
    return standingMonitor;
  }

  /** Whether the gate may pass only when this check passes; the others may be not applicable. */
  public boolean indispensable() {
    return this == P99_UNDER_LOAD || this == PROXY_DRIFT || this == ROLLBACK;
  }
}
