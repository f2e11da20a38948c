package io.servedrift.monitors.demo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A runtime that batches per denoising step: requests join and leave between steps, a step takes
 * longer the more of them share it, and a prompt seen lately reuses its conditioning and some of
 * its steps.
 */
final class BatchingNode extends ServingNode {
  static final int MAX_BATCH = 8;

  /** Prompts whose conditioning is kept. */
  static final int CACHE_CAPACITY = 400;

  private static final double STEP_MICROS = 14_000;
  private static final double SHARED = 0.55;
  private static final double ENCODE_MICROS = 18_000;
  private static final double DECODE_MICROS = 30_000;
  private static final double CACHED_SHARE = 0.35;
  private static final int NEIGHBOURS_KEPT = 16;

  private final ArrayDeque<Job> waiting = new ArrayDeque<>();
  private final List<Job> running = new ArrayList<>();
  private final Map<String, Boolean> cache = new LinkedHashMap<>(CACHE_CAPACITY, 0.75f, true);

  BatchingNode(String name, SplittableRandom random) {
    super(name, random);
  }

  @Override
  int load() {
    return waiting.size() + running.size();
  }

  /** Forgets every prompt. */
  void flushCache() {
    cache.clear();
  }

  @Override
  void accept(Job job, long nowMicros) {
    job.running = running.size();
    job.waiting = waiting.size();
    waiting.addLast(job);
    if (running.isEmpty()) {
      beginStep(nowMicros);
    }
  }

  private void beginStep(long nowMicros) {
    long encode = 0;
    while (running.size() < MAX_BATCH && !waiting.isEmpty()) {
      Job job = waiting.removeFirst();
      encode += admit(job, nowMicros);
      running.forEach(other -> other.joined++);
      running.add(job);
    }
    if (running.isEmpty()) {
      idle();
      return;
    }
    double work = 0;
    double largest = 0;
    for (Job job : running) {
      work += job.size();
      largest = Math.max(largest, job.size());
      for (Job other : running) {
        if (other != job && job.neighbours.size() < NEIGHBOURS_KEPT) {
          job.neighbours.add(other.id);
        }
      }
    }
    // A step costs its largest member in full and every other one in part; encoding a new prompt
    // holds up all.
    double cost = STEP_MICROS * (largest + SHARED * (work - largest));
    busyUntil(nowMicros + encode + around(cost));
  }

  private long admit(Job job, long nowMicros) {
    job.startedMicros = nowMicros;
    boolean hit = cache.put(job.prompt.hash(), true) != null;
    if (cache.size() > CACHE_CAPACITY) {
      cache.remove(cache.keySet().iterator().next());
    }
    job.cacheHit = hit;
    job.cachedSteps = hit && job.steps >= 8 ? (int) Math.round(CACHED_SHARE * job.steps) : 0;
    job.stepsLeft = job.steps - job.cachedSteps;
    job.encodeMicros = hit ? 0 : around(ENCODE_MICROS);
    return job.encodeMicros;
  }

  @Override
  List<Job> advance() {
    long now = nextMicros();
    int size = running.size();
    List<Job> done = new ArrayList<>();
    for (Iterator<Job> jobs = running.iterator(); jobs.hasNext(); ) {
      Job job = jobs.next();
      job.step(size);
      if (job.stepsLeft == 0) {
        jobs.remove();
        job.denoiseMicros = now - job.startedMicros - job.encodeMicros;
        job.decodeMicros = around(DECODE_MICROS * job.size());
        done.add(job);
      }
    }
    running.forEach(job -> job.left += done.size());
    beginStep(now);
    return done;
  }
}
