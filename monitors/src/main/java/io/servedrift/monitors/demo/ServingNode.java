package io.servedrift.monitors.demo;

import java.util.List;

/** A simulated serving process. Time is given, in microseconds, and never goes back. */
interface ServingNode {
  /** Its name. */
  String name();

  /** Requests on it, running or waiting. */
  int load();

  /** Takes a request that arrives now. */
  void accept(Job job, long nowMicros);

  /** When something next happens on it; {@link Long#MAX_VALUE} when it is idle. */
  long nextMicros();

  /** Lets that happen; returns the requests whose denoising has ended with it. */
  List<Job> advance();
}
