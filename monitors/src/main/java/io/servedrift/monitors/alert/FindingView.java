package io.servedrift.monitors.alert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One version of a finding, as far as alerts need it. Immutable.
 *
 * @param severity whom it reaches; empty for {@code info}, which is not forwarded
 * @param key labels of an alert of its own; for {@code info} those of a ticket
 * @param state open, or over for good
 * @param annotations what an alert of its own says
 */
record FindingView(
    String findingId,
    String incidentId,
    Optional<AlertSeverity> severity,
    AlertKey key,
    FindingState state,
    Instant detectedAt,
    Map<String, String> annotations) {
  private static final ObjectMapper JSON = new ObjectMapper();

  FindingView {
    annotations = Map.copyOf(annotations);
  }

  /**
   * Reads a record of the findings topic.
   *
   * @throws IllegalArgumentException when its body is no JSON object, or it has no state that this
   *     version knows
   */
  static FindingView of(Finding finding, AlertLinks links) {
    if (finding.getState() == FindingState.UNKNOWN) {
      throw new IllegalArgumentException(
          "finding " + finding.getFindingId() + ": state must be open, closed or accepted");
    }
    JsonNode body = body(finding);
    Optional<AlertSeverity> severity =
        AlertSeverity.of(finding.getSeverity().name().toLowerCase(Locale.ROOT));
    AlertName name = AlertName.of(finding.getMetric(), finding.getStatistic());
    AlertKey key =
        AlertKey.of(
            name,
            severity.orElse(AlertSeverity.TICKET),
            finding.getDeployment(),
            finding.getModelId(),
            finding.getConfigId(),
            finding.getMetric(),
            finding.getStatistic(),
            finding.getDirection());
    return new FindingView(
        finding.getFindingId(),
        finding.getIncidentId(),
        severity,
        key,
        finding.getState(),
        finding.getDetectedAt(),
        FindingAnnotations.of(body, key, links));
  }

  private static JsonNode body(Finding finding) {
    try {
      JsonNode body = JSON.readTree(finding.getBody());
      if (body.isObject()) {
        return body;
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "finding " + finding.getFindingId() + ": body must be JSON", e);
    }
    throw new IllegalArgumentException(
        "finding " + finding.getFindingId() + ": body must be a JSON object");
  }

  /** Whether it counts for an alert now. */
  boolean counts() {
    return state == FindingState.OPEN && severity.isPresent();
  }

  /** Whether it will never be open again. */
  boolean over() {
    return state != FindingState.OPEN;
  }
}
