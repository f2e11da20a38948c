package io.servedrift.serving.scheduler;

import java.util.ArrayList;
import java.util.List;

/** What changes before the next step. Filled by the planner, then owned by the stepping thread. */
final class Admission {

  /** End for the reason that each has. */
  final List<Job> givenUp = new ArrayList<>();

  /** End as timed out. */
  final List<Job> expired = new ArrayList<>();

  /** Leave the engine with their latent. */
  final List<Job> preempted = new ArrayList<>();

  /** Leave the queue. */
  final List<Job> started = new ArrayList<>();

  /** Are back on the engine. */
  final List<Job> resumed = new ArrayList<>();

  /** How many run after it. */
  int running;

  /** How many wait after it, preempted ones included. */
  int waiting;
}
