package io.servedrift.monitors.cli;

import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Severity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was found in a time, as it was written: a finding counts with the most that it ever was,
 * also when it became less or is no longer in memory. Not thread-safe.
 */
final class FindingLog {
  private static final List<Severity> GRAVEST_FIRST =
      List.of(Severity.PAGE, Severity.TICKET, Severity.INFO);

  private final Map<String, Finding> latest = new LinkedHashMap<>();
  private final Map<String, Severity> most = new HashMap<>();

  /**
   * Takes what there is now.
   *
   * @return those that wake or occupy somebody since this call, and did not before
   */
  List<Finding> see(Collection<Finding> findings) {
    List<Finding> graver = new ArrayList<>();
    for (Finding finding : findings) {
      latest.put(finding.getFindingId(), finding);
      Severity before = most.getOrDefault(finding.getFindingId(), Severity.UNKNOWN);
      Severity now = finding.getSeverity();
      if (rank(now) < rank(before)) {
        most.put(finding.getFindingId(), now);
        if (alerts(now)) {
          graver.add(finding);
        }
      }
    }
    return graver;
  }

  /** Whether somebody is to look at it. */
  static boolean alerts(Severity severity) {
    return severity == Severity.PAGE || severity == Severity.TICKET;
  }

  private static int rank(Severity severity) {
    int rank = GRAVEST_FIRST.indexOf(severity);
    return rank < 0 ? GRAVEST_FIRST.size() : rank;
  }

  /** How many findings were that, and never graver. */
  long count(Severity severity) {
    return most.values().stream().filter(severity::equals).count();
  }

  /** Each finding in its latest version, in the order in which they were first seen. */
  List<Finding> latest() {
    return List.copyOf(latest.values());
  }

  /**
   * What a time without a fault ends with: no page and no ticket is what is wanted.
   *
   * @param judged whether it was long enough for anything to be judged
   */
  ExitCode exit(boolean judged) {
    if (count(Severity.PAGE) + count(Severity.TICKET) > 0) {
      return ExitCode.CHECK_FAILED;
    }
    return judged ? ExitCode.DONE : ExitCode.INSUFFICIENT;
  }
}
