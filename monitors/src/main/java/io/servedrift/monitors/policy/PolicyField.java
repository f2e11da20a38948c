package io.servedrift.monitors.policy;

import io.servedrift.monitors.policy.Maintenance.WeekTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

/**
 * One field of a policy beside the rules for metrics ({@link MetricField}).
 *
 * @param path where it stands; {@code []} is an item of a list, {@code NAME} any deployment
 * @param type how it is read; for a part that holds fields only its description counts
 * @param shownDefault what holds without it
 * @param meaning one or two sentences for the documentation
 */
record PolicyField<T>(String path, ValueType<T> type, String shownDefault, String meaning)
    implements YamlField<T> {

  private static final ValueType<String> NAME = ValueType.text("a name of at most 256 characters");
  private static final String REQUIRED = "required";
  private static final String ONE_OF_TWO = "required, or `weekly`";

  static final PolicyField<Double> FALSE_ALARMS =
      new PolicyField<>(
          "false_alarms_per_month",
          ValueType.positive(1000),
          "1",
          "False alarms a deployment may have in 30 days, tickets and pages together. All"
              + " thresholds follow from it.");
  static final PolicyField<Duration> MINUTE =
      new PolicyField<>(
          "minute",
          ValueType.part(Duration.ofMinutes(1)),
          "60s",
          "What judging takes for a minute. With 2s all its times pass 30 times as fast - pauses,"
              + " reviews, the day that makes a baseline old, the month of the budget - but for the"
              + " durations in this file. For demonstrations with short panes.");
  static final PolicyField<Duration> WARM_UP =
      new PolicyField<>(
          "warm_up",
          ValueType.duration("0s", "1d"),
          "10m",
          "Time after the first pane of a configuration from which nothing is learned: cold caches,"
              + " compilation.");
  static final PolicyField<Duration> LEAST_DURATION =
      new PolicyField<>(
          "baseline.least_duration",
          ValueType.duration("1s", "30d"),
          "30m",
          "From this time on, and `least_requests`, a provisional baseline exists; only large"
              + " shifts fire then.");
  static final PolicyField<Long> LEAST_REQUESTS =
      new PolicyField<>(
          "baseline.least_requests",
          ValueType.whole(10, 1_000_000_000),
          "1000",
          "The same, in requests.");
  static final PolicyField<Duration> FULL_DURATION =
      new PolicyField<>(
          "baseline.full_duration",
          ValueType.duration("1s", "90d"),
          "7d",
          "At this time a baseline is complete and stops growing; at least `least_duration`.");
  static final PolicyField<String> PINNED_DEPLOYMENT =
      new PolicyField<>(
          "baseline.pinned[].deployment", NAME, REQUIRED, "Deployment whose normal is pinned.");
  static final PolicyField<String> PINNED_CONFIG =
      new PolicyField<>(
          "baseline.pinned[].config_id",
          NAME,
          "every series",
          "Its configuration; `*` is the deployment-wide series over all. Left out, the range is"
              + " for every series of the deployment that has none of its own.");
  static final PolicyField<String> PINNED_MODEL =
      new PolicyField<>("baseline.pinned[].model_id", NAME, "any", "Its model.");
  static final PolicyField<Instant> PINNED_FROM =
      new PolicyField<>(
          "baseline.pinned[].from",
          ValueType.time(),
          REQUIRED,
          "Start of the traffic that is normal.");
  static final PolicyField<Instant> PINNED_TO =
      new PolicyField<>(
          "baseline.pinned[].to", ValueType.time(), REQUIRED, "Its end, not included.");
  static final PolicyField<Double> DEPLOYMENT_FALSE_ALARMS =
      new PolicyField<>(
          "deployments.NAME.false_alarms_per_month",
          FALSE_ALARMS.type(),
          "the common one",
          "Budget of this deployment.");
  static final PolicyField<String> DEPLOYMENT_METRICS =
      new PolicyField<>(
          "deployments.NAME.metrics",
          ValueType.text("a map as `metrics`"),
          "the common ones",
          "Rules of this deployment; they win over the common ones, field by field.");
  static final PolicyField<String> MAINTENANCE_DEPLOYMENT =
      new PolicyField<>("maintenance[].deployment", NAME, REQUIRED, "Deployment, `*` for all.");
  static final PolicyField<Instant> MAINTENANCE_FROM =
      new PolicyField<>(
          "maintenance[].from", ValueType.time(), ONE_OF_TWO, "Start of a single maintenance.");
  static final PolicyField<Instant> MAINTENANCE_TO =
      new PolicyField<>("maintenance[].to", ValueType.time(), ONE_OF_TWO, "Its end, not included.");
  static final PolicyField<WeekTimes> MAINTENANCE_WEEKLY =
      new PolicyField<>(
          "maintenance[].weekly",
          new ValueType<>(
              WeekTimes.ALLOWED,
              text ->
                  WeekTimes.parse(text)
                      .orElseThrow(() -> new IllegalArgumentException("no day and hours")),
              WeekTimes::toString),
          "required, or `from` and `to`",
          "Day and hours of a weekly maintenance; in place of `from` and `to`.");
  static final PolicyField<ZoneId> MAINTENANCE_ZONE =
      new PolicyField<>(
          "maintenance[].zone",
          ValueType.zone(),
          "UTC",
          "Whose clock `weekly` is read from. A region follows the time-zone table of the Java"
              + " version that runs; an offset needs none.");
  static final PolicyField<String> MAINTENANCE_WHY =
      new PolicyField<>(
          "maintenance[].why",
          ValueType.text("a line of at most 256 characters"),
          REQUIRED,
          "The reason, shown with what is found in that time.");

  /** Names of the parts of the whole. */
  static final List<String> PARTS =
      List.of(
          "false_alarms_per_month",
          "minute",
          "warm_up",
          "baseline",
          "metrics",
          "deployments",
          "maintenance");

  /** In the order of the documentation; the rules for metrics stand before the deployments. */
  static List<PolicyField<?>> all() {
    return List.of(
        FALSE_ALARMS,
        MINUTE,
        WARM_UP,
        LEAST_DURATION,
        LEAST_REQUESTS,
        FULL_DURATION,
        PINNED_DEPLOYMENT,
        PINNED_CONFIG,
        PINNED_MODEL,
        PINNED_FROM,
        PINNED_TO,
        DEPLOYMENT_FALSE_ALARMS,
        DEPLOYMENT_METRICS,
        MAINTENANCE_DEPLOYMENT,
        MAINTENANCE_FROM,
        MAINTENANCE_TO,
        MAINTENANCE_WEEKLY,
        MAINTENANCE_ZONE,
        MAINTENANCE_WHY);
  }

  /** The last member of the path. */
  @Override
  public String key() {
    return path.substring(path.lastIndexOf('.') + 1);
  }

  @Override
  public T defaultValue() {
    return type.read(shownDefault);
  }
}
