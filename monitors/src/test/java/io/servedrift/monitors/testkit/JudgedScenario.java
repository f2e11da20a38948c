package io.servedrift.monitors.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A scenario and what the monitor said about it on its whole way, under the default policy, reduced
 * to what is scored. Immutable.
 *
 * @param scenario what happened
 * @param said one for each finding, in the order in which they opened
 */
public record JudgedScenario(Scenario scenario, List<Said> said) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Keeps its own lists. */
  public JudgedScenario {
    said = List.copyOf(said);
  }

  /**
   * A finding, as far as its last version.
   *
   * @param detectedAt when it opened
   * @param alerts whether any version was a page or a ticket
   * @param cause of the last version, as are the next ones
   * @param where cells by covariate
   * @param contributing causes that it mentions beside its own
   * @param why the reason in words
   */
  public record Said(
      Instant detectedAt,
      String metric,
      String statistic,
      boolean alerts,
      CauseLabel cause,
      Map<String, String> where,
      Set<CauseLabel> contributing,
      String why) {
    /** Keeps its own collections. */
    public Said {
      where = Map.copyOf(where);
      contributing = Set.copyOf(contributing);
    }

    @Override
    public String toString() {
      return (alerts ? "alert " : "info ")
          + metric
          + " "
          + statistic
          + " at "
          + detectedAt
          + ": "
          + cause.word()
          + " "
          + where
          + " with "
          + contributing
          + ": "
          + why;
    }
  }

  /** Runs it. */
  public static JudgedScenario of(Scenario scenario) {
    return new JudgedScenario(scenario, said(JudgedRun.of(scenario)));
  }

  /** Findings in all their versions, each reduced to one. */
  static List<Said> said(List<Finding> findings) {
    Map<String, List<Finding>> versions = new LinkedHashMap<>();
    findings.forEach(
        one -> versions.computeIfAbsent(one.getFindingId(), id -> new ArrayList<>()).add(one));
    return versions.values().stream().map(JudgedScenario::last).toList();
  }

  private static Said last(List<Finding> versions) {
    Finding last = versions.get(versions.size() - 1);
    JsonNode verdict = verdict(last);
    Map<String, String> where = new LinkedHashMap<>();
    verdict
        .path("where")
        .properties()
        .forEach(cell -> where.put(cell.getKey(), cell.getValue().asText()));
    Set<CauseLabel> contributing = EnumSet.noneOf(CauseLabel.class);
    verdict
        .path("contributing")
        .forEach(one -> contributing.add(CauseLabel.of(one.path("cause").asText())));
    return new Said(
        versions.get(0).getDetectedAt(),
        last.getMetric(),
        last.getStatistic(),
        versions.stream()
            .map(Finding::getSeverity)
            .anyMatch(severity -> severity == Severity.PAGE || severity == Severity.TICKET),
        CauseLabel.of(verdict.path("cause").asText()),
        where,
        contributing,
        verdict.path("why").asText());
  }

  private static JsonNode verdict(Finding finding) {
    try {
      return JSON.readTree(finding.getBody()).path("verdict");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          "body of finding " + finding.getFindingId() + ": not JSON", e);
    }
  }

  /**
   * For the scorer.
   *
   * @param group row that it counts in
   * @param within time from the onset after which nothing counts any more
   */
  public Observation observation(String group, Duration within) {
    Instant limit = scenario.onset().plus(within);
    return observation(group, limit.isBefore(last()) ? limit : last());
  }

  /** The same, to the end. */
  public Observation observation(String group) {
    return observation(group, last());
  }

  private Observation observation(String group, Instant to) {
    return new Observation(
        group,
        scenario.truth(),
        scenario.settings().start(),
        scenario.onset(),
        to,
        FinishTimes.UNKNOWN,
        said.stream()
            .map(one -> new Outcome(one.detectedAt(), one.metric(), one.cause(), one.alerts()))
            .toList());
  }

  /** A finding is made a little later than the last arrival. */
  private Instant last() {
    return scenario.end().plus(Duration.ofHours(1));
  }

  /** What was said from the onset on. */
  public List<Said> sinceOnset() {
    return said.stream().filter(one -> !one.detectedAt().isBefore(scenario.onset())).toList();
  }

  /** Pages and tickets at any time. */
  public List<Said> alerts() {
    return said.stream().filter(Said::alerts).toList();
  }
}
