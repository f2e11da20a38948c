package io.servedrift.monitors.baseline;

import io.servedrift.monitors.pane.Covariate;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A pane of one series before it is cut at thresholds: the histograms of its joint cells, and those
 * of its margins for attribution.
 *
 * @param startMicros start of the pane, microseconds since the epoch
 * @param load mean arrivals per minute of the last 15 minutes, see {@link LoadMeter}
 * @param cells joint cells, in the order of their keys
 * @param margins levels of the covariates that cells are not crossed with, in the order of their
 *     keys; the load is left out, it has its own meter
 */
public record CellPane(
    long startMicros, double load, List<JointCell> cells, List<MarginCell> margins) {
  private static final String CLASS_SEPARATOR = " / ";
  static final String UNKNOWN = "unknown";

  /** Name of a joint cell beyond the budget: nothing is known of what is in it. */
  private static final String REST = "cell";

  /**
   * Values of one joint cell.
   *
   * @param trafficClass prompt class and workload: what the user asked for
   * @param cache bucket of {@link Covariate#CACHE}, {@code unknown} when nobody said
   * @param batch bucket of {@link Covariate#BATCH}
   * @param preempted bucket of {@link Covariate#PREEMPTED}
   */
  public record JointCell(
      String trafficClass, String cache, String batch, String preempted, ValueDistribution values) {
    /** The same values under another traffic class. */
    public JointCell ofClass(String other) {
      return new JointCell(other, cache, batch, preempted, values);
    }

    /** What the serving layer did; the first is always {@link Stratum#ALL}. */
    public List<Stratum> strata() {
      return Stratum.of(cache, batch, preempted);
    }
  }

  /**
   * Values of one level of one covariate.
   *
   * @param covariate label in the catalogue, see {@link Covariate#label}
   * @param level bucket, for example the name of a node
   */
  public record MarginCell(String covariate, String level, ValueDistribution values) {}

  /** Copies the lists. */
  public CellPane {
    cells = List.copyOf(cells);
    margins = List.copyOf(margins);
  }

  /** Without margins. */
  public CellPane(long startMicros, double load, List<JointCell> cells) {
    this(startMicros, load, cells, List.of());
  }

  /** The same pane with other joint cells. */
  public CellPane withCells(List<JointCell> other) {
    return new CellPane(startMicros, load, other, margins);
  }

  /**
   * A series of a merged pane.
   *
   * @param load see {@link LoadMeter}; of the configuration's arrivals, not of its scores
   */
  public static CellPane of(MergedPane pane, MergedPane.Series series, double load) {
    List<JointCell> cells = new ArrayList<>();
    List<MarginCell> margins = new ArrayList<>();
    series
        .cells()
        .forEach(
            (key, values) -> {
              Map<String, String> buckets = buckets(key);
              boolean rest = buckets.containsKey(REST);
              if (rest || key.size() > 1) {
                cells.add(
                    new JointCell(
                        rest ? TrafficClasses.OTHER : trafficClass(buckets),
                        bucket(buckets, Covariate.CACHE),
                        bucket(buckets, Covariate.BATCH),
                        bucket(buckets, Covariate.PREEMPTED),
                        values));
              } else {
                buckets.forEach(
                    (covariate, level) -> {
                      if (!covariate.equals(Covariate.LOAD.label())) {
                        margins.add(new MarginCell(covariate, level, values));
                      }
                    });
              }
            });
    return new CellPane(pane.startMicros(), load, cells, margins);
  }

  private static String trafficClass(Map<String, String> buckets) {
    String prompt = bucket(buckets, Covariate.PROMPT_CLASS);
    String workload = bucket(buckets, Covariate.WORKLOAD);
    return workload.equals(UNKNOWN) ? prompt : prompt + CLASS_SEPARATOR + workload;
  }

  private static String bucket(Map<String, String> buckets, Covariate covariate) {
    return buckets.getOrDefault(covariate.label(), UNKNOWN);
  }

  private static Map<String, String> buckets(List<String> key) {
    Map<String, String> buckets = new HashMap<>();
    for (String part : key) {
      int at = part.indexOf('=');
      buckets.put(part.substring(0, at), part.substring(at + 1));
    }
    return buckets;
  }
}
