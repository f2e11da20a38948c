package io.servedrift.monitors.pane;

import java.util.Map;
import java.util.TreeMap;

/**
 * Which histogram layout a metric has, and with it the fixed-point unit of its sums.
 *
 * <table>
 * <caption>Defaults</caption>
 * <tr><th>metric</th><th>layout</th><th>unit</th></tr>
 * <tr><td>latency, queue, inference, time_to_first_token, stage:*</td><td>log:1e-5:86400:0.01</td><td>1e-6 s</td></tr>
 * <tr><td>error_ratio, json_valid, schema_match, answer_correct, image_match</td><td>binary</td><td>1</td></tr>
 * <tr><td>clip</td><td>lin:-1:1:2048</td><td>1e-9</td></tr>
 * <tr><td>aesthetic</td><td>lin:0:10:2048</td><td>1e-9</td></tr>
 * <tr><td>any other score</td><td>slog:1e-6:1e9:0.01</td><td>1e-9</td></tr>
 * </table>
 *
 * <p>{@code clip} is a cosine, so it lies in -1..1; 2048 bins are 0.001 wide, a thirtieth of the
 * usual spread between prompts. Who reports it times 100 (31.4 for 0.314) overrides the layout with
 * {@code lin:-100:100:2048}. {@code aesthetic} predictors answer on the 0 to 10 scale of their
 * raters. Values outside a declared range are counted in the outer bins, sums and extremes stay
 * exact.
 *
 * <p>Immutable and thread-safe.
 */
public final class MetricLayouts {
  private static final String STAGE_PREFIX = "stage:";

  private static final Map<String, HistogramLayout> KNOWN =
      Map.ofEntries(
          Map.entry("latency", HistogramLayout.DURATIONS),
          Map.entry("queue", HistogramLayout.DURATIONS),
          Map.entry("inference", HistogramLayout.DURATIONS),
          Map.entry("time_to_first_token", HistogramLayout.DURATIONS),
          Map.entry("error_ratio", HistogramLayout.binary()),
          Map.entry("json_valid", HistogramLayout.binary()),
          Map.entry("schema_match", HistogramLayout.binary()),
          Map.entry("answer_correct", HistogramLayout.binary()),
          Map.entry("image_match", HistogramLayout.binary()),
          Map.entry("clip", HistogramLayout.linear(-1, 1, 2048)),
          Map.entry("aesthetic", HistogramLayout.linear(0, 10, 2048)));

  private final Map<String, HistogramLayout> overrides = new TreeMap<>();

  /** The defaults. */
  public MetricLayouts() {
    this(Map.of());
  }

  /**
   * The defaults with exceptions.
   *
   * @param overrides layout id by metric name
   * @throws IllegalArgumentException naming the metric when an id is no layout
   */
  public MetricLayouts(Map<String, String> overrides) {
    overrides.forEach(
        (metric, id) -> {
          try {
            this.overrides.put(metric, HistogramLayout.parse(id));
          } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("metric '" + metric + "': " + e.getMessage(), e);
          }
        });
  }

  /** Layout of a metric; never fails. */
  public HistogramLayout layoutOf(String metric) {
    HistogramLayout override = overrides.get(metric);
    if (override != null) {
      return override;
    }
    if (metric.startsWith(STAGE_PREFIX)) {
      return HistogramLayout.DURATIONS;
    }
    return KNOWN.getOrDefault(metric, HistogramLayout.OPEN_SCORES);
  }

  /** Fixed-point unit in which the values of a metric are summed. */
  public double unitOf(String metric) {
    return layoutOf(metric).unit();
  }
}
