package io.servedrift.monitors.testkit;

import java.util.Arrays;

/**
 * What can be changed while the simulation runs: the knobs that faults turn. Read by the simulator
 * before each decision. Not thread-safe.
 */
final class Fleet {
  /** Factor on the arrivals; 0: none arrive. */
  double load = 1;

  /** Factor on the share of each class. */
  final double[] classShare;

  /** Factor on the share of constrained requests. */
  double constrained = 1;

  /** Number of nodes, from the first one on, that get requests. */
  int activeNodes;

  /** Largest batch of each node. */
  int maxBatch;

  /** Bytes of the cache of a node when nothing runs. */
  long cacheBytes;

  /** Whether the cache is asked. */
  boolean cacheOn = true;

  /** Factor on the duration of each node's steps. */
  final double[] slowness;

  /** Factor on the probability of preemptions. */
  double preemption = 1;

  /** Probability that a step is stalled by another one's turn. */
  double stalls;

  /** How long a stalled step waits, seconds. */
  double stallSeconds;

  /** Identity of the scorer of every score. */
  String scorer = "scorer@1";

  /** Name of the image or text model's outputs: another value changes the bits of every output. */
  long outputSalt;

  /** Whether the batch that a request runs in changes the bits of its output. */
  boolean outputDependsOnBatch;

  String configId = "unknown";
  String modelId = "unknown";

  Fleet(SimulatorSettings settings) {
    activeNodes = settings.nodes();
    maxBatch = settings.maxBatch();
    cacheBytes = settings.cacheBytes();
    classShare = new double[settings.classes().size()];
    Arrays.fill(classShare, 1);
    slowness = new double[settings.nodes()];
    Arrays.fill(slowness, 1);
  }
}
