package io.servedrift.monitors.testkit;

import io.servedrift.monitors.testkit.ConditioningCache.Tier;
import java.util.HashMap;
import java.util.Map;

/**
 * One request on its way through the simulated fleet: what happened to it so far, and what faults
 * add to its outcome. Faults read it and call {@link #shift} and {@link #delay}. Not thread-safe.
 */
public final class Served {
  final String id;
  final int classIndex;
  final PromptClass promptClass;
  final long prompt;
  final boolean constrained;
  final int adapter;
  final long arrivedMicros;
  final long seed;
  int node;
  Tier tier = Tier.MISS;
  boolean cacheAsked;
  long entryAgeMicros;
  int stepsLeft;
  int batchMin = Integer.MAX_VALUE;
  int batchMax;
  long batchSum;
  int stepsRun;
  int joined;
  int left;
  int running;
  int waiting;
  int neighbourAdapters;
  int preemptions;
  long preemptedMicros;
  long preemptedSince;
  long notBefore;
  int stalledSteps;
  long startedMicros = -1;
  long encodeMicros;
  long evictionsAtStart;
  int evictions;
  double extraQueueSeconds;
  double extraInferenceSeconds;
  double factor = 1;
  boolean failed;
  String configId = "unknown";
  String modelId = "unknown";
  private final Map<String, Double> shifts = new HashMap<>();

  Served(
      String id,
      int classIndex,
      PromptClass promptClass,
      long prompt,
      boolean constrained,
      int adapter,
      long arrivedMicros,
      long seed) {
    this.id = id;
    this.classIndex = classIndex;
    this.promptClass = promptClass;
    this.prompt = prompt;
    this.constrained = constrained;
    this.adapter = adapter;
    this.arrivedMicros = arrivedMicros;
    this.seed = seed;
    this.stepsLeft = promptClass.steps();
  }

  /** Whether its conditioning was found in a tier. */
  public boolean hit() {
    return tier != Tier.MISS;
  }

  /** Whether it was found in the second tier. */
  public boolean hostHit() {
    return tier == Tier.HOST;
  }

  /** Largest batch that it was part of. */
  public int batch() {
    return batchMax;
  }

  /** Records another batch, as if it had been grouped so from first to last; its time stays. */
  void regroup(int size) {
    if (size != batchMax) {
      batchMax = size;
      batchMin = size;
      batchSum = (long) size * stepsRun;
    }
  }

  /** Mean size of its batches over its steps. */
  public double meanBatch() {
    return stepsRun == 0 ? 1 : batchSum / (double) stepsRun;
  }

  /** Whether another request joined while it ran. */
  public boolean joinedByOthers() {
    return joined > 0;
  }

  public boolean preempted() {
    return preemptions > 0;
  }

  /** Number of its node. */
  public int node() {
    return node;
  }

  /** Name of its prompt class. */
  public String className() {
    return promptClass.name();
  }

  public boolean constrained() {
    return constrained;
  }

  /** Adapter, 0 for none. */
  public int adapter() {
    return adapter;
  }

  /** Distinct adapters among those that shared its batch, the most at any step. */
  public int neighbourAdapters() {
    return neighbourAdapters;
  }

  /** Seconds since the entry that it hit was computed. */
  public double entryAgeSeconds() {
    return entryAgeMicros / 1e6;
  }

  /** Adds to the mean of a score (to the probability of 1, where the score is 0 or 1). */
  public void shift(String score, double by) {
    shifts.merge(score, by, Double::sum);
  }

  double shift(String score) {
    return shifts.getOrDefault(score, 0.0);
  }

  /** Makes the time from its first step on longer by a factor; nobody else waits for it. */
  public void slowDown(double by) {
    factor *= by;
  }

  /** Makes it wait longer; nobody else does. */
  public void delay(double seconds) {
    extraQueueSeconds += seconds;
  }

  /** Lets it fail. */
  public void fail() {
    failed = true;
  }
}
