package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which of the findings is the one that the story waits for, and which version of it was told. It
 * is for the worse, open, more than an info, with a cause, and about what the fault does to users:
 * that requests wait longer in shared batches is found as well, and is no surprise. Not
 * thread-safe.
 */
final class DemoVerdict {
  private final DemoFault fault;
  private @Nullable Finding told;

  /** Nothing is told yet. */
  DemoVerdict(DemoFault fault) {
    this.fault = fault;
  }

  /**
   * The finding that is to be told now: a new one, or one whose severity or cause is another than
   * when it was told. Counts as told from now on.
   *
   * @param since when the fault began: what surely began before is about something else
   */
  Optional<Finding> news(List<Finding> findings, Instant since) {
    Optional<Finding> found = of(findings, fault, since);
    Finding last = told;
    if (found.isEmpty() || (last != null && same(last, found.get()))) {
      return Optional.empty();
    }
    told = found.get();
    return found;
  }

  private static boolean same(Finding one, Finding other) {
    return one.getFindingId().equals(other.getFindingId())
        && one.getSeverity() == other.getSeverity()
        && cause(one).equals(cause(other));
  }

  /** The finding as it was told last, null while there is none. */
  @Nullable Finding told() {
    return told;
  }

  /** Whether there is a cause: what is unexplained may be explained by more data. */
  boolean settled() {
    Finding last = told;
    return last != null && !unexplained(last);
  }

  /** Whether the cause that was told last is what was switched on. */
  boolean right() {
    Finding last = told;
    return last != null
        && fault.rightCause().map(Cause::label).filter(cause(last)::equals).isPresent();
  }

  /**
   * What to exit with.
   *
   * @param wanted whether the end without a verdict is a failure
   */
  ExitCode exit(boolean wanted) {
    if (told == null) {
      return wanted ? ExitCode.INSUFFICIENT : ExitCode.DONE;
    }
    return right() ? ExitCode.DONE : ExitCode.CHECK_FAILED;
  }

  /** The first with a cause, else the first; empty while there is none. */
  static Optional<Finding> of(List<Finding> findings, DemoFault fault, Instant since) {
    return findings.stream()
        .filter(one -> !one.getDetectedAt().isBefore(since) && !latestOnset(one).isBefore(since))
        .filter(one -> one.getState() == FindingState.OPEN)
        .filter(one -> one.getSeverity() != Severity.INFO)
        .filter(one -> one.getDirection().equals("worse"))
        .filter(one -> one.getMetric().equals(fault.metric()))
        .filter(DemoVerdict::decided)
        .min(
            Comparator.comparing(DemoVerdict::unexplained)
                .thenComparing(Finding::getDetectedAt)
                .thenComparing(Finding::getFindingId));
  }

  /** The end of the interval of the onset, or the onset where there is none. */
  static Instant latestOnset(Finding finding) {
    JsonNode body = JsonOutput.parse(finding.getBody());
    String latest = body == null ? "" : body.at("/onset_interval/1").asText();
    try {
      return latest.isEmpty() ? finding.getOnsetAt() : Instant.parse(latest);
    } catch (DateTimeParseException e) {
      return finding.getOnsetAt();
    }
  }

  private static boolean decided(Finding finding) {
    return !cause(finding).isEmpty() && !cause(finding).equals(Cause.INCONCLUSIVE.label());
  }

  private static boolean unexplained(Finding finding) {
    return cause(finding).equals(Cause.UNEXPLAINED.label());
  }

  private static String cause(Finding finding) {
    JsonNode body = JsonOutput.parse(finding.getBody());
    return body == null ? "" : body.at("/verdict/cause").asText();
  }
}
