package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.EvidencePath;
import io.servedrift.monitors.baseline.TrackCalibration;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.stats.GaussianFactor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evidence that the mean of a live score lies apart from a recorded evaluation: the e-detector of
 * means (STATISTICS B.2) with the evaluation in the place of a learned mean. How live panes vary is
 * taken from the series' own baseline; the error of the evaluation is tolerated on top of the
 * smallest shift that matters. Not thread-safe.
 */
final class EvalEvidence {
  /** One-sided 95 %: an evaluation may be off by so many of its standard errors. */
  private static final double Z95 = 1.645;

  /** M in panes from which a difference counts as gone, as {@code detection.Recovery.CLEAR}. */
  private static final double CLEAR = 1e3;

  /** M up to which nothing has begun. */
  private static final double QUIET = 10;

  private static final double LEAST_VALUES = 2;

  private final double paneMinutes;
  private final List<EvidencePath> paths = new ArrayList<>();
  private final List<EvidencePath> ends = new ArrayList<>();
  private long quietMicros = Long.MIN_VALUE;

  private EvalEvidence(long paneMicros) {
    paneMinutes = paneMicros / (double) Micros.MINUTE;
  }

  /** Starts without evidence. */
  EvalEvidence(long paneMicros, TrackCalibration usual) {
    this(paneMicros);
    for (int i = 0; i < usual.components(); i++) {
      paths.add(new EvidencePath());
      if (usual.sign(i) > 0) {
        ends.add(new EvidencePath());
      }
    }
  }

  /** The mean of a pane and the variance of that mean; null when it holds too little. */
  private record Seen(double mean, double variance) {}

  private static @Nullable Seen seen(CellPane pane, TrackCalibration usual) {
    List<ValueDistribution> parts = pane.cells().stream().map(c -> c.values()).toList();
    if (parts.isEmpty()) {
      return null;
    }
    ValueDistribution all = ValueDistribution.merge(parts);
    double deviation = usual.valueDeviation();
    return all.n() < LEAST_VALUES
        ? null
        : new Seen(
            all.mean(),
            Math.max(all.variance(), deviation * deviation) / all.n() + usual.paneVariance());
  }

  /** Takes a pane in which nothing is open. */
  void next(CellPane pane, RecordedEval eval, TrackCalibration usual, double floor) {
    Seen seen = seen(pane, usual);
    for (int i = 0; i < paths.size(); i++) {
      EvidencePath path = paths.get(i);
      path.pass(paneMinutes);
      if (seen != null) {
        double sd = StrictMath.sqrt(seen.variance());
        path.step(
            GaussianFactor.logFactor(
                usual.sign(i) * (seen.mean() - eval.value()) / sd,
                floor / sd,
                Z95 * eval.error(usual.valueDeviation()) / sd,
                usual.bet(i),
                usual.inflation() * usual.replayFactors().get(i)));
      }
    }
    if (average(paths) <= QUIET || quietMicros == Long.MIN_VALUE) {
      quietMicros = pane.startMicros();
    }
  }

  /**
   * Takes a pane while a finding is open. The error of the evaluation plays no part here: the
   * margin was measured from the same recorded value, so it cancels. Bets are mixed as in {@code
   * detection.Recovery}: a small difference takes a small one.
   *
   * @param sign direction of the difference
   * @param margin half of the difference
   * @return whether the difference is gone
   */
  boolean gone(CellPane pane, RecordedEval eval, TrackCalibration usual, int sign, double margin) {
    Seen seen = seen(pane, usual);
    for (int bet = 0; bet < ends.size(); bet++) {
      EvidencePath path = ends.get(bet);
      path.pass(paneMinutes);
      if (seen != null) {
        double z =
            (margin - sign * (seen.mean() - eval.value())) / StrictMath.sqrt(seen.variance());
        path.step(GaussianFactor.logFactor(z, 0, 0, usual.bet(bet), usual.inflation()));
      }
    }
    return average(ends) >= CLEAR;
  }

  /** M of a mixture, in panes. */
  private static double average(List<EvidencePath> mixed) {
    double total = 0;
    for (EvidencePath path : mixed) {
      total += path.statistic();
    }
    return total / mixed.size();
  }

  /** M in minutes. */
  double minutes() {
    return average(paths) * paneMinutes;
  }

  /** Start of the last pane in which nothing had begun. */
  long quietMicros() {
    return quietMicros;
  }

  void write(Content.Writer out) {
    write(paths, out);
    write(ends, out);
    out.whole(quietMicros);
  }

  private static void write(List<EvidencePath> mixed, Content.Writer out) {
    out.count(mixed.size());
    mixed.forEach(path -> path.write(out));
  }

  private static void read(List<EvidencePath> mixed, Content.Reader in) {
    for (int left = in.count(); left > 0; left--) {
      EvidencePath path = new EvidencePath();
      path.read(in);
      mixed.add(path);
    }
  }

  static EvalEvidence read(long paneMicros, Content.Reader in) {
    EvalEvidence evidence = new EvalEvidence(paneMicros);
    read(evidence.paths, in);
    read(evidence.ends, in);
    evidence.quietMicros = in.whole();
    return evidence;
  }
}
