package io.servedrift.monitors.demo;

import java.time.Duration;

/** How many clients ask at a time. Immutable. */
public interface Load {

  /** The most that ask at any time, 1 or more. */
  int most();

  /** Those that ask at a time since the beginning. */
  int clients(Duration since);

  /** Whether a time is one of the busy ones, that clients remember by themselves. */
  boolean busy(Duration since);
}
