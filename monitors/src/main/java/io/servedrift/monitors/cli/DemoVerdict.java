package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which of the findings is the one that the story waits for: for the worse, open, more than an
 * info, with a cause, and about what the fault does to users. That requests wait longer in shared
 * batches is found as well, and is no surprise.
 */
final class DemoVerdict {
  private DemoVerdict() {}

  /**
   * The first of them; empty while there is none.
   *
   * @param since when the fault began: what was found before is about something else
   */
  static Optional<Finding> of(List<Finding> findings, DemoFault fault, Instant since) {
    return findings.stream()
        .filter(one -> !one.getDetectedAt().isBefore(since))
        .filter(one -> one.getState() == FindingState.OPEN)
        .filter(one -> one.getSeverity() != Severity.INFO)
        .filter(one -> one.getDirection().equals("worse"))
        .filter(one -> one.getMetric().equals(fault.metric()))
        .filter(DemoVerdict::decided)
        .min(Comparator.comparing(Finding::getDetectedAt).thenComparing(Finding::getFindingId));
  }

  private static boolean decided(Finding finding) {
    JsonNode body = JsonOutput.parse(finding.getBody());
    String cause = body == null ? "" : body.at("/verdict/cause").asText();
    return !cause.isEmpty() && !cause.equals("inconclusive");
  }
}
