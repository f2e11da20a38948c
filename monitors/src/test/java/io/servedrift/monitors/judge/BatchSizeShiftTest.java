package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether latencies moved in batches of one size only, or all requests with them. */
class BatchSizeShiftTest {
  private static final HistogramLayout DURATIONS = HistogramLayout.DURATIONS;
  private static final long MINUTE = 60_000_000;
  private static final int REFERENCE = 240;
  private static final int WINDOW = 60;

  /** Index of the p99 among the levels of a tail of durations. */
  private static final int P99 = 2;

  private final SplittableRandom random = new SplittableRandom(11);

  /** 57 requests alone in their batch and 3 in large ones, each slower by a factor. */
  private CellPane pane(int minute, double alone, double large) {
    return new CellPane(
        minute * MINUTE,
        60,
        List.of(cell("1", 57, .3 * alone), cell("8-15", 3, .6 * large)),
        List.of());
  }

  private CellPane.JointCell cell(String batch, int requests, double median) {
    double[] values =
        IntStream.range(0, requests)
            .mapToDouble(i -> median * Math.exp(.15 * random.nextGaussian()))
            .toArray();
    return new CellPane.JointCell(
        "a", "miss", batch, "no", ValueDistribution.of(DURATIONS, values));
  }

  private Baseline baseline() {
    return BaselineLearner.learn(
        FamilySpec.durationTail(),
        DURATIONS,
        IntStream.range(0, REFERENCE).mapToObj(minute -> pane(minute, 1, 1)).toList(),
        MINUTE);
  }

  private static boolean only(Baseline baseline, Stratum led, List<PaneCounts> window, int sign) {
    return only(baseline, led, P99, window, sign);
  }

  private static boolean only(
      Baseline baseline, Stratum led, int level, List<PaneCounts> window, int sign) {
    Track track = new Track(Track.Kind.COUNT, led, null, level, null);
    return BatchSizeShift.only(baseline, track, window, sign);
  }

  private List<PaneCounts> window(Baseline baseline, double alone, double large) {
    PaneCutter cutter = new PaneCutter(baseline);
    List<PaneCounts> window = new ArrayList<>();
    for (int minute = REFERENCE; minute < REFERENCE + WINDOW; minute++) {
      window.add(cutter.cut(pane(minute, alone, large)));
    }
    return window;
  }

  /** One in twenty is a little slower: beyond what was the p99 there are not surely more. */
  @Test
  void isOfABatchSize_whenAllRequestsDidNotSurelyMove() {
    Baseline baseline = baseline();
    assertThat(only(baseline, Stratum.BATCH_8_UP, window(baseline, 1, 1.02), 1)).isTrue();
  }

  /** The large batches take three times as long: one request in twenty is beyond the p99. */
  @Test
  void isOfAll_whenTheLargeBatchesMoveThemSurely() {
    Baseline baseline = baseline();
    List<PaneCounts> slower = window(baseline, 1, 3);
    assertThat(only(baseline, Stratum.BATCH_8_UP, slower, 1)).isFalse();
    assertThat(only(baseline, Stratum.BATCH_8_UP, slower, -1)).isTrue();
  }

  /**
   * Large batches lie beyond the p90 of all requests in any case, so slower by a third they move
   * all beyond the p99 only; whichever quantile of their own leads.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void asksAllRequestsAtItsQuantileAndBeyond(int level) {
    Baseline baseline = baseline();
    assertThat(only(baseline, Stratum.BATCH_8_UP, level, window(baseline, 1, 1.33), 1)).isFalse();
  }

  /** All requests are slower, as under a higher load, and beyond their p99.9 there are no more. */
  @Test
  void isOfABatchSize_whenAllMovedNearerToTheMiddleOnly() {
    Baseline baseline = baseline();
    List<PaneCounts> busier = window(baseline, 1.1, 1);
    assertThat(only(baseline, Stratum.BATCH_8_UP, 3, busier, 1)).isTrue();
    assertThat(only(baseline, Stratum.BATCH_8_UP, 0, busier, 1)).isFalse();
  }

  /** What leads is not a batch size: another question. */
  @Test
  void isOfAll_whenAllRequestsLead() {
    Baseline baseline = baseline();
    assertThat(only(baseline, Stratum.ALL, window(baseline, 1, 1.02), 1)).isFalse();
  }
}
