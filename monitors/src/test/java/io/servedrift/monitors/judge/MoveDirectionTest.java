package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import io.servedrift.monitors.pane.Covariate;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Up or down, where the evidence is that two sides of the traffic differ. */
class MoveDirectionTest {
  private static final HistogramLayout SCORES = HistogramLayout.linear(0, 1, 1000);
  private static final long MINUTE = 60_000_000;
  private static final int REFERENCE = 2880;
  private static final double ALERT = 43_200;

  /** Scores of some nodes, with a slow drift that all share. */
  private static final class Nodes {
    private final SplittableRandom random;
    private final int[] requests;
    private double drift;

    Nodes(long seed, int... requests) {
      random = new SplittableRandom(seed);
      this.requests = requests;
    }

    CellPane pane(int minute, double... moves) {
      drift = .95 * drift + .002 * Math.sqrt(1 - .95 * .95) * random.nextGaussian();
      List<CellPane.MarginCell> nodes = new ArrayList<>();
      double[] all = {};
      for (int node = 0; node < requests.length; node++) {
        double mean = .75 + drift + (node < moves.length ? moves[node] : 0);
        double[] values =
            random
                .doubles(requests[node])
                .map(u -> mean + .03 * Math.sqrt(12) * (u - .5))
                .toArray();
        nodes.add(
            new CellPane.MarginCell(
                Covariate.NODE.label(), "n" + node, ValueDistribution.of(SCORES, values)));
        int before = all.length;
        all = Arrays.copyOf(all, before + values.length);
        System.arraycopy(values, 0, all, before, values.length);
      }
      return new CellPane(
          minute * MINUTE,
          all.length,
          List.of(
              new CellPane.JointCell("a", "miss", "1", "no", ValueDistribution.of(SCORES, all))),
          nodes);
    }

    Baseline baseline() {
      List<CellPane> panes = new ArrayList<>();
      for (int minute = 0; minute < REFERENCE; minute++) {
        panes.add(pane(minute));
      }
      return BaselineLearner.learn(FamilySpec.scoreMean().slicedInto(8), SCORES, panes, MINUTE);
    }
  }

  /** Direction when the moves raise an alarm; 0 when none comes or no node leads. */
  private static int direction(Baseline baseline, Nodes later, double... moves) {
    FamilyDetector detector = new FamilyDetector(baseline);
    PaneCutter cutter = new PaneCutter(baseline);
    List<PaneCounts> panes = new ArrayList<>();
    for (int minute = REFERENCE; minute < REFERENCE + 600; minute++) {
      PaneCounts pane = cutter.cut(later.pane(minute, moves));
      panes.add(pane);
      detector.next(pane);
      FamilyDetector.Evidence lead = detector.top(1).get(0);
      if (detector.statistic() > ALERT) {
        TrackCalibration track = lead.calibration();
        Shift shift = detector.shift(track).orElseThrow();
        List<PaneCounts> window =
            panes.stream().filter(p -> p.startMicros() >= shift.onsetMicros()).toList();
        return track.track().ofNode() ? MoveDirection.of(baseline, lead, shift, window) : 0;
      }
    }
    return 0;
  }

  private static List<Integer> directions(int[] requests, double... moves) {
    Baseline baseline = new Nodes(3, requests).baseline();
    List<Integer> found = new ArrayList<>();
    for (int run = 0; run < 40; run++) {
      int direction = direction(baseline, new Nodes(100 + run, requests), moves);
      if (direction != 0) {
        found.add(direction);
      }
    }
    return found;
  }

  /** All together move by an eighth of it, which is less than they drift. */
  @Test
  void followsTheNode_whenOneOfEightMoves() {
    int[] eight = {30, 30, 30, 30, 30, 30, 30, 30};
    assertThat(directions(eight, 0, -.012)).hasSizeGreaterThan(30).containsOnly(-1);
    assertThat(directions(eight, 0, .012)).hasSizeGreaterThan(30).containsOnly(1);
  }

  /** Each is above the other as much as that one is below it. */
  @Test
  void tellsWhichOfTwoNodesMoved() {
    int[] two = {60, 60};
    assertThat(directions(two, -.03)).hasSizeGreaterThan(30).containsOnly(-1);
    assertThat(directions(two, 0, -.03)).hasSizeGreaterThan(30).containsOnly(-1);
    assertThat(directions(two, .03)).hasSizeGreaterThan(30).containsOnly(1);
  }

  /** All fell but a small one: it is above the others and not better than it was. */
  @Test
  void followsTheOthers_whenTheNodeIsWhatStayed() {
    assertThat(directions(new int[] {40, 100, 100}, 0, -.03, -.03))
        .hasSizeGreaterThan(5)
        .containsOnly(-1);
  }
}
