package io.servedrift.ingest.gateway;

/** Told of each request that was served well and measured; must not wait. */
interface MeasuredListener {

  /** The request's event was handed over. */
  void measured(String requestId, Route route, Ask ask, Answer answer);
}
