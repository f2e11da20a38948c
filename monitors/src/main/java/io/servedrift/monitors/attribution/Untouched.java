package io.servedrift.monitors.attribution;

/**
 * The requests that no serving mechanism touched, among those that seem to have moved without one:
 * all, or a class of them. Immutable.
 *
 * @param path what they did
 * @param within mean shift of all like requests among which they are looked for
 * @param ofClass whether these are one class
 */
record Untouched(CleanPath path, double within, boolean ofClass) {
  /** Whether they moved like the rest. */
  boolean moved() {
    return path.moved(within) || path.movedBeyondDoubt(within);
  }

  /** Further ones without which nothing can be said. */
  long missing() {
    return Math.max(0, CleanPath.LEAST_REQUESTS - path.requests());
  }
}
