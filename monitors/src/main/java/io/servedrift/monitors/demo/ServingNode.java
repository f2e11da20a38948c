package io.servedrift.monitors.demo;

import java.util.List;
import java.util.SplittableRandom;

/** A simulated serving process. Time is given, in microseconds, and never goes back. */
abstract class ServingNode {
  private static final long NEVER = Long.MAX_VALUE;

  private final String name;
  private final SplittableRandom random;
  private long nextMicros = NEVER;

  ServingNode(String name, SplittableRandom random) {
    this.name = name;
    this.random = random;
  }

  /** Its name. */
  final String name() {
    return name;
  }

  /** When something next happens on it; {@link Long#MAX_VALUE} when it is idle. */
  final long nextMicros() {
    return nextMicros;
  }

  /** Something happens on it then. */
  final void busyUntil(long micros) {
    nextMicros = micros;
  }

  /** Nothing happens on it until a request comes. */
  final void idle() {
    nextMicros = NEVER;
  }

  /** A duration that scatters around this one, microseconds. */
  final long around(double micros) {
    return Noise.around(micros, random);
  }

  /** Requests on it, running or waiting. */
  abstract int load();

  /** Takes a request that arrives now. */
  abstract void accept(Job job, long nowMicros);

  /** Lets what is due happen; returns the requests whose denoising has ended with it. */
  abstract List<Job> advance();
}
