package io.servedrift.monitors.demo;

import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;

/** A single-request pipeline: one request at a time, first come first served, no cache. */
final class SerialNode extends ServingNode {
  private static final double STEP_MICROS = 21_000;
  private static final double ENCODE_MICROS = 24_000;
  private static final double DECODE_MICROS = 38_000;

  private final ArrayDeque<Job> queue = new ArrayDeque<>();

  SerialNode(String name, SplittableRandom random) {
    super(name, random);
  }

  @Override
  int load() {
    return queue.size();
  }

  @Override
  void accept(Job job, long nowMicros) {
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
    job.encodeMicros = around(ENCODE_MICROS);
    job.stepsLeft = job.steps;
    while (job.stepsLeft > 0) {
      job.step(1);
    }
    job.denoiseMicros = around(STEP_MICROS * job.steps * job.size());
    job.decodeMicros = around(DECODE_MICROS * job.size());
    busyUntil(nowMicros + job.encodeMicros + job.denoiseMicros + job.decodeMicros);
  }

  @Override
  List<Job> advance() {
    long now = nextMicros();
    Job done = queue.removeFirst();
    Job following = queue.peekFirst();
    if (following == null) {
      idle();
    } else {
      begin(following, now);
    }
    return List.of(done);
  }
}
