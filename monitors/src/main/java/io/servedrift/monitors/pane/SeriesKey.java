package io.servedrift.monitors.pane;

import java.util.Comparator;

/**
 * Identity of a series.
 *
 * @param modelId model fingerprint, {@code unknown}, {@code other} beyond the budget, or {@code *}
 * @param configId configuration fingerprint, {@code unknown}, {@code other} beyond the budget, or
 *     {@code *} for the deployment-wide series over all configurations
 */
public record SeriesKey(String deployment, String modelId, String configId, String metric)
    implements Comparable<SeriesKey> {
  /** Model and configuration of the deployment-wide series. */
  public static final String ALL = "*";

  private static final Comparator<SeriesKey> ORDER =
      Comparator.comparing(SeriesKey::deployment)
          .thenComparing(SeriesKey::configId)
          .thenComparing(SeriesKey::modelId)
          .thenComparing(SeriesKey::metric);

  @Override
  public int compareTo(SeriesKey other) {
    return ORDER.compare(this, other);
  }

  SeriesKey inGroup(String model, String config) {
    return new SeriesKey(deployment, model, config, metric);
  }

  Group group() {
    return new Group(modelId, configId);
  }

  /** Model and configuration: what the series budget counts. */
  record Group(String modelId, String configId) {
    static final Comparator<Group> ORDER =
        Comparator.comparing(Group::configId).thenComparing(Group::modelId);
    static final Group OTHER = new Group(Covariate.OTHER, Covariate.OTHER);
    static final Group EVERYTHING = new Group(ALL, ALL);
  }
}
