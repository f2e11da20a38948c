package io.servedrift.ingest.http;

/** The whole body cannot be taken: the HTTP status and a text that says why. */
final class RefusedException extends Exception {

  private final int status;

  RefusedException(int status, String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }
}
