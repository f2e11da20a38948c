package io.servedrift.monitors.alert;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** A finding in its versions; immutable, each change gives another version. */
record TestFinding(
    String id,
    String incident,
    String deployment,
    String metric,
    String statistic,
    Severity severity,
    FindingState state,
    Instant detectedAt,
    String cause,
    double value) {
  static final Instant DETECTED = Instant.parse("2026-11-30T10:00:10Z");
  static final AlertTimings TIMINGS =
      new AlertTimings(Duration.ofMinutes(1), Duration.ofMinutes(15));
  static final AlertLinks LINKS =
      new AlertLinks(
          URI.create("http://drift.example:8080"),
          URI.create("http://grafana.example/d/drift"),
          URI.create("https://wiki.example/RUNBOOK"),
          "--bootstrap-servers kafka:9092 --topic-prefix servedrift");

  /** A page about the tail of the latency. */
  static TestFinding of(String id) {
    return new TestFinding(
        id,
        "inc-" + id,
        "image-gen",
        "latency",
        "tail",
        Severity.PAGE,
        FindingState.OPEN,
        DETECTED,
        "cache",
        0.11);
  }

  TestFinding in(String incident) {
    return new TestFinding(
        id, incident, deployment, metric, statistic, severity, state, detectedAt, cause, value);
  }

  TestFinding at(String deployment) {
    return new TestFinding(
        id, incident, deployment, metric, statistic, severity, state, detectedAt, cause, value);
  }

  TestFinding about(String metric, String statistic) {
    return new TestFinding(
        id, incident, deployment, metric, statistic, severity, state, detectedAt, cause, value);
  }

  TestFinding as(Severity severity) {
    return new TestFinding(
        id, incident, deployment, metric, statistic, severity, state, detectedAt, cause, value);
  }

  TestFinding now(FindingState state) {
    return new TestFinding(
        id, incident, deployment, metric, statistic, severity, state, detectedAt, cause, value);
  }

  TestFinding detected(Instant detectedAt) {
    return new TestFinding(
        id, incident, deployment, metric, statistic, severity, state, detectedAt, cause, value);
  }

  TestFinding because(String cause, double value) {
    return new TestFinding(
        id, incident, deployment, metric, statistic, severity, state, detectedAt, cause, value);
  }

  TestFinding closed() {
    return now(FindingState.CLOSED);
  }

  FindingView view() {
    return FindingView.of(record(), LINKS);
  }

  ObjectNode body() {
    ObjectNode body = new ObjectMapper().createObjectNode();
    body.put("finding_id", id).put("incident_id", incident);
    ObjectNode baseline = body.putObject("baseline");
    baseline.put("kind", "learned").put("n", 28566).put("mean", 2.5).put("p99", 4.90425);
    ObjectNode current = body.putObject("current");
    current.put("n", 1180).put("mean", 3.29001).put("p99", 14.442);
    current.putArray("p99_interval").add(13.7369).add(14.8811);
    ObjectNode effect = body.putObject("effect");
    effect.put("statistic", statistic).put("value", value).put("level", 0.95);
    effect.putArray("interval").add(value - 0.03).add(value + 0.04);
    effect.put("unit", "share of requests").put("beyond", "p99.9").put("n", 3657);
    body.putObject("evidence").put("e_value", 1.0172e8).put("threshold", 365976);
    ObjectNode verdict = body.putObject("verdict");
    verdict.put("cause", cause).put("mechanism", "effect").put("share", 0.93);
    verdict.putObject("where").put("batch", "8-15").put("cache", "hit");
    verdict.put("why", "hits moved by +0.114, misses by -0.0004");
    body.putObject("next_test").put("what", "same requests, cache off").put("command", "");
    return body;
  }

  Finding record() {
    return Finding.newBuilder()
        .setFindingId(id)
        .setDeployment(deployment)
        .setModelId("m1")
        .setConfigId("c1")
        .setMetric(metric)
        .setStatistic(statistic)
        .setDirection("worse")
        .setOnsetAt(detectedAt.minusSeconds(600))
        .setDetectedAt(detectedAt)
        .setState(state)
        .setSeverity(severity)
        .setIncidentId(incident)
        .setPolicyHash("p")
        .setBody(
            body()
                .put("state", state.name().toLowerCase(Locale.ROOT))
                .put("severity", severity.name().toLowerCase(Locale.ROOT))
                .toString())
        .build();
  }
}
