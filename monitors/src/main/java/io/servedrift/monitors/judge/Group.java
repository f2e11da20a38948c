package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.SeriesKey;
import java.util.Comparator;

/** A model under a configuration: what serves. */
record Group(String modelId, String configId) implements Comparable<Group> {
  private static final Comparator<Group> ORDER =
      Comparator.comparing(Group::configId).thenComparing(Group::modelId);

  static Group of(SeriesKey key) {
    return new Group(key.modelId(), key.configId());
  }

  /** Whether it stands for all of them. */
  boolean everything() {
    return configId.equals(SeriesKey.ALL);
  }

  @Override
  public int compareTo(Group other) {
    return ORDER.compare(this, other);
  }
}
