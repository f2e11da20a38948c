package io.servedrift.monitors.page;

import static java.util.Comparator.comparing;

import java.util.Comparator;

/**
 * Identity of a series.
 *
 * @param configId a configuration, or {@code *} for the deployment-wide series over all of them
 * @param metric {@code latency}, {@code error_ratio}, {@code stage:<name>}, a score's name ...
 */
public record SeriesKey(String deployment, String modelId, String configId, String metric)
    implements Comparable<SeriesKey> {
  private static final Comparator<SeriesKey> ORDER =
      comparing(SeriesKey::deployment)
          .thenComparing(SeriesKey::configId)
          .thenComparing(SeriesKey::modelId)
          .thenComparing(SeriesKey::metric);

  @Override
  public int compareTo(SeriesKey other) {
    return ORDER.compare(this, other);
  }
}
