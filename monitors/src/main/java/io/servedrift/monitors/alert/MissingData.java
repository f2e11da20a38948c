package io.servedrift.monitors.alert;

import io.servedrift.monitors.policy.MetricPolicy.SeverityCap;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Data that should be there and is not: the condition behind an alert {@code
 * ServedriftDataMissing}. Its identity ({@link #deployment} to {@link #severity}) stays while the
 * condition lasts.
 *
 * @param deployment which deployment
 * @param modelId its model; {@code *} for all of the deployment
 * @param configId its configuration; {@code *} for all of the deployment
 * @param metric what stopped, {@link #ALL} for everything
 * @param severity page or ticket
 * @param kind in which way it is missing
 * @param since end of the last window with values: the start of the alert
 * @param expected how many values were to be expected since then
 * @param lastHeartbeat of a node of the deployment, null when none was ever seen
 */
public record MissingData(
    String deployment,
    String modelId,
    String configId,
    String metric,
    SeverityCap severity,
    Kind kind,
    Instant since,
    long expected,
    @Nullable Instant lastHeartbeat) {

  /** {@link #metric} of a silent deployment. */
  public static final String ALL = "all";

  /** Label {@code statistic}: what is missed is a number of values. */
  public static final String STATISTIC = "count";

  /** Label {@code direction}. */
  public static final String DIRECTION = "worse";

  /** In which way data is missing. */
  public enum Kind {
    /** No requests, and no node says that it lives. */
    SILENT,
    /** No requests, though nodes say that they live. */
    NO_TRAFFIC,
    /** Requests go on, a metric of theirs does not come. */
    METRIC_GONE
  }

  /** One line for people: what is missing since when, and what that may mean. */
  public String description() {
    return switch (kind) {
      case SILENT ->
          deployment
              + ": no request since "
              + since
              + ", about "
              + expected
              + " were to be expected; "
              + (lastHeartbeat == null
                  ? "no node of it ever sent a heartbeat, so it cannot be told whether it lives"
                  : "last heartbeat of a node " + lastHeartbeat)
              + ".";
      case NO_TRAFFIC ->
          deployment
              + ": its nodes live (last heartbeat "
              + lastHeartbeat
              + "), but no request since "
              + since
              + ", about "
              + expected
              + " were to be expected: traffic goes elsewhere, or the recording is off.";
      case METRIC_GONE ->
          deployment
              + (configId.equals("*") ? "" : ", configuration " + configId)
              + ": requests go on, but no "
              + metric
              + " since "
              + since
              + ", about "
              + expected
              + " were to be expected: what measures it has stopped.";
    };
  }

  /** As a condition for {@link AlertBook}. */
  public Condition condition() {
    AlertKey key =
        AlertKey.of(
            AlertName.DATA_MISSING,
            severity == SeverityCap.PAGE ? AlertSeverity.PAGE : AlertSeverity.TICKET,
            deployment,
            modelId,
            configId,
            metric,
            STATISTIC,
            DIRECTION);
    return new Condition(
        key,
        Map.of("summary", "Data of " + deployment + " is missing", "description", description()),
        since);
  }
}
