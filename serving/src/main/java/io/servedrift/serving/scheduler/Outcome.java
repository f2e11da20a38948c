package io.servedrift.serving.scheduler;

/** How a request that was taken ended. */
enum Outcome {
  DONE,
  FAILED,
  CANCELLED,
  TIMED_OUT
}
