package io.servedrift.ingest.gateway;

/** How an exchange ended on the wire. */
enum Outcome {
  /** The upstream's answer arrived whole. */
  COMPLETE(""),
  /** The client went away first. */
  CANCELLED(""),
  /** No connection to the upstream. */
  UNREACHABLE("upstream_unreachable"),
  /** The upstream broke off before its answer was whole, or spoke no HTTP. */
  RESET("upstream_reset"),
  /** The upstream was silent for too long. */
  TIMEOUT("upstream_timeout");

  private final String error;

  Outcome(String error) {
    this.error = error;
  }

  /** The class of the error as events carry it; empty when there was none. */
  String error() {
    return error;
  }
}
