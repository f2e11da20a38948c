package io.servedrift.monitors.pane;

/** The two input topics of a partition, each with a clock of its own. */
public enum Channel {
  REQUESTS,
  SCORES
}
