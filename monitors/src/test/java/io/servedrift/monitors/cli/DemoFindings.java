package io.servedrift.monitors.cli;

import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.time.Instant;

/** Findings of a demonstration, as the read model holds them. */
final class DemoFindings {
  static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  private DemoFindings() {}

  /** Open, for the worse, begun and found at a second. */
  static Finding.Builder finding(
      String id, String metric, Severity severity, String cause, int second) {
    Instant at = START.plusSeconds(second);
    return Finding.newBuilder()
        .setFindingId(id)
        .setDeployment("d")
        .setModelId("m")
        .setConfigId("c")
        .setMetric(metric)
        .setStatistic("mean")
        .setDirection("worse")
        .setOnsetAt(at)
        .setDetectedAt(at)
        .setState(FindingState.OPEN)
        .setSeverity(severity)
        .setIncidentId("i")
        .setPolicyHash("p")
        .setBody("{\"verdict\":{\"cause\":\"" + cause + "\"}}");
  }
}
