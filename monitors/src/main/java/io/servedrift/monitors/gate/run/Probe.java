package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Side;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the first requests to a side told. Immutable.
 *
 * @param address without secrets
 * @param seconds of the last one that was answered; null when all failed
 * @param failures codes of those that failed
 */
record Probe(Side side, String address, @Nullable Double seconds, SortedSet<String> failures) {
  /** First requests to a side: the first one warms up. */
  static final int REQUESTS = 2;

  /** Codes of a caller whom nobody answered. */
  private static final Set<String> NOT_REACHED =
      Set.of("connect", "tls", "timeout", "connection_lost");

  Probe {
    failures = new TreeSet<>(failures);
  }

  boolean failed() {
    return seconds == null;
  }

  boolean reached() {
    return !failed() || !NOT_REACHED.containsAll(failures);
  }

  /** What happened, when all failed. */
  String said() {
    return side.label()
        + " "
        + address
        + ": the first "
        + REQUESTS
        + " requests failed with "
        + String.join(", ", failures);
  }
}
