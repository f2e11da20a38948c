package io.servedrift.monitors.gate.testkit;

/** What an endpoint of the tests does wrong. */
public enum EndpointFault {
  /** Outputs get worse when requests share a batch. */
  BATCHING,
  /** What comes from the cache is an older conditioning. */
  STALE_CACHE,
  /** All outputs get worse a little, as with arithmetic of lower precision. */
  PRECISION,
  /** One request in twelve waits ten times as long. */
  SLOW_SCHEDULER,
  /** Another model: all outputs are others, and worse. */
  OTHER_WEIGHTS,
  /** Generation answers 404. */
  NOT_FOUND,
  /** Generation answers 500. */
  SERVER_ERROR,
  /** {@code /server_info} answers 404. */
  NO_SERVER_INFO
}
