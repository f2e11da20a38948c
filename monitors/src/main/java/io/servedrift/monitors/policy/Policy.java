package io.servedrift.monitors.policy;

import io.servedrift.monitors.pane.MetricLayouts;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an installation judges by. Immutable, safe for use by several threads. Two policies are
 * equal, and have the same {@link #hash}, when they say the same, however they were written.
 *
 * @param falseAlarmsPerMonth false alarms a deployment may have in 30 days, tickets and pages
 *     together
 * @param minute what judging takes for a minute, a whole part of 60 s
 * @param warmUp time after the first pane of a configuration from which nothing is learned
 * @param baseline when traffic is known well enough to be compared with
 * @param metrics rules for all deployments
 * @param deployments what single deployments have of their own
 * @param maintenance times in which nobody wants to be told, in a fixed order
 */
public record Policy(
    double falseAlarmsPerMonth,
    Duration minute,
    Duration warmUp,
    BaselinePolicy baseline,
    MetricRules metrics,
    SortedMap<String, DeploymentPolicy> deployments,
    List<Maintenance> maintenance) {

  private static final String EVERY_DEPLOYMENT = "*";

  /** Brings what is written differently and means the same to one form. */
  public Policy {
    metrics = metrics.effective();
    SortedMap<String, DeploymentPolicy> different = new TreeMap<>(deployments);
    different.values().removeIf(one -> saysNothing(one, falseAlarmsPerMonth));
    different.replaceAll((name, one) -> withoutCommonBudget(one, falseAlarmsPerMonth));
    deployments = Collections.unmodifiableSortedMap(different);
    maintenance =
        maintenance.stream().distinct().sorted(Comparator.comparing(PolicyWriter::text)).toList();
  }

  /** What holds without a file. */
  public static Policy defaults() {
    return parse("", "defaults");
  }

  /**
   * Reads a policy; what it does not say holds as in {@link #defaults}.
   *
   * @param yaml the text; bounding its length is left to who reads it
   * @param origin where the text comes from, for messages
   * @throws PolicyException with every problem found: line, path, value, what is allowed
   */
  public static Policy parse(String yaml, String origin) {
    return new PolicyReader(new PolicyText(yaml, origin)).read();
  }

  /**
   * How a metric of a deployment is judged. The more specific rule wins, field by field: those of
   * the deployment over the common ones, and among them a name over the longest matching beginning
   * over all of a kind over {@code *} over the defaults.
   *
   * @param layouts which scores are 0/1
   */
  public MetricPolicy metric(String deployment, String metric, MetricLayouts layouts) {
    MetricKind kind = MetricKind.of(metric, layouts);
    MetricPattern name = MetricPattern.ofName(metric);
    Map<MetricField, String> fields = metrics.over(MetricRules.none(), name, kind);
    DeploymentPolicy own = deployments.get(deployment);
    if (own != null) {
      fields = own.metrics().over(fields, name, kind);
    }
    return MetricPolicy.of(kind, MetricRules.settled(name, kind, fields));
  }

  /** The same with the layouts that metrics have by themselves. */
  public MetricPolicy metric(String deployment, String metric) {
    return metric(deployment, metric, new MetricLayouts());
  }

  /** The evaluations, {@code name/metric}, that rules for a deployment name. */
  public Set<String> evals(String deployment) {
    Set<String> names = new HashSet<>(metrics.values(MetricField.EVAL));
    DeploymentPolicy own = deployments.get(deployment);
    if (own != null) {
      names.addAll(own.metrics().values(MetricField.EVAL));
    }
    return names;
  }

  /** The budget of a deployment: its own, else the common one. */
  public double falseAlarmsPerMonth(String deployment) {
    DeploymentPolicy own = deployments.get(deployment);
    return own == null
        ? falseAlarmsPerMonth
        : own.falseAlarmsPerMonth().orElse(falseAlarmsPerMonth);
  }

  /**
   * Why nobody wants to be told at an instant; empty outside of maintenance.
   *
   * @param micros event time, microseconds since the epoch
   */
  public Optional<String> maintenance(String deployment, long micros) {
    Instant instant = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    return maintenance.stream()
        .filter(
            one -> one.deployment().equals(EVERY_DEPLOYMENT) || one.deployment().equals(deployment))
        .filter(one -> one.covers(instant))
        .findFirst()
        .map(Maintenance::why);
  }

  /**
   * Names what the policy says: the first 16 hex digits of SHA-256 over its canonical JSON (every
   * field, members sorted, numbers and times as text). A finding carries it.
   */
  public String hash() {
    return PolicyWriter.hash(this);
  }

  /** The policy with every field, as YAML that {@link #parse} reads back to an equal policy. */
  public String toYaml() {
    return PolicyWriter.yaml(this);
  }

  private static boolean saysNothing(DeploymentPolicy one, double common) {
    return withoutCommonBudget(one, common).falseAlarmsPerMonth().isEmpty()
        && one.metrics().isEmpty();
  }

  private static DeploymentPolicy withoutCommonBudget(DeploymentPolicy one, double common) {
    boolean same =
        one.falseAlarmsPerMonth().isPresent() && one.falseAlarmsPerMonth().getAsDouble() == common;
    return same ? new DeploymentPolicy(OptionalDouble.empty(), one.metrics()) : one;
  }
}
