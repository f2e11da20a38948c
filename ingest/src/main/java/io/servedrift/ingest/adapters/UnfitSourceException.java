package io.servedrift.ingest.adapters;

/** A source whose lines are readable and which still must not be used: the message says why. */
public final class UnfitSourceException extends Exception {
  /**
   * @param message what is wrong with it and what to do
   */
  public UnfitSourceException(String message) {
    super(message);
  }
}
