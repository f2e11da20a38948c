package io.servedrift.monitors.gate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of one check.
 *
 * @param name which check
 * @param state how it stands
 * @param why one sentence
 * @param measures the numbers behind it, those that decide first
 * @param needed pairs or requests per arm that would decide, when it is insufficient and that can
 *     be said
 */
public record CheckResult(
    CheckName name, CheckState state, String why, List<Measure> measures, @Nullable Long needed) {
  public CheckResult {
    measures = List.copyOf(measures);
  }
}
