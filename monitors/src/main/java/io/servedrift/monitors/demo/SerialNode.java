package io.servedrift.monitors.demo;

import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;

/** A single-request pipeline: one request at a time, first come first served, no cache. */
final class SerialNode implements ServingNode {
  private static final double STEP_MICROS = 21_000;
  private static final double ENCODE_MICROS = 24_000;
  private static final double DECODE_MICROS = 38_000;

  private final String name;
  private final SplittableRandom random;
  private final ArrayDeque<Job> queue = new ArrayDeque<>();
  private long nextMicros = Long.MAX_VALUE;

  SerialNode(String name, SplittableRandom random) {
    this.name = name;
    this.random = random;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int load() {
    return queue.size();
  }

  @Override
  public void accept(Job job, long nowMicros) {
    job.running = Math.min(1, queue.size());
    job.waiting = Math.max(0, queue.size() - 1);
    queue.addLast(job);
    if (queue.size() == 1) {
      begin(job, nowMicros);
    }
  }

  private void begin(Job job, long nowMicros) {
    job.startedMicros = nowMicros;
    job.cacheHit = false;
    job.encodeMicros = Noise.around(ENCODE_MICROS, random);
    job.stepsLeft = job.steps;
    while (job.stepsLeft > 0) {
      job.step(1);
    }
    job.denoiseMicros = Noise.around(STEP_MICROS * job.steps * job.size(), random);
    job.decodeMicros = Noise.around(DECODE_MICROS * job.size(), random);
    nextMicros = nowMicros + job.encodeMicros + job.denoiseMicros + job.decodeMicros;
  }

  @Override
  public long nextMicros() {
    return nextMicros;
  }

  @Override
  public List<Job> advance() {
    long now = nextMicros;
    Job done = queue.removeFirst();
    Job following = queue.peekFirst();
    if (following == null) {
      nextMicros = Long.MAX_VALUE;
    } else {
      begin(following, now);
    }
    return List.of(done);
  }
}
