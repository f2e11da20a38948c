package io.servedrift.monitors.judge;

import java.util.List;

/** What configurations consist of, as far as somebody has said so. */
public interface ConfigAxes {
  /** Knows nothing. */
  ConfigAxes UNKNOWN = (from, to) -> List.of();

  /**
   * Axes in which two configurations differ, for example {@code batching.max_batch_size: 1 -> 8};
   * empty when one of them is not known.
   */
  List<String> changed(String fromConfigId, String toConfigId);
}
