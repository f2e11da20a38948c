package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.Observation;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.baseline.TrackCalibration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a track saw lately: every observation of the recent past, sums of ever more of them further
 * back. Bounded. From it come the change point and the effect since. Not thread-safe.
 *
 * <p>Change point: flat-prior posterior from the profile likelihood llr(t) = t (n - t) / n (mean2 -
 * mean1)^2 / (2 sigma^2 kappa) for means, and from the Poisson likelihood ratio over phi for counts
 * (STATISTICS B.4), over the observations since the component last had no evidence and a few
 * before.
 */
final class History {
  static final int MOST_BLOCKS = 256;

  /** So many blocks before the evidence began, to have something to compare with. */
  private static final int BLOCKS_BEFORE = 30;

  private static final double MICROS_PER_MINUTE = 60_000_000;
  private static final double ONSET_TAIL = 0.05;
  private static final double INTERVAL_QUANTILE = 1.959963984540054;

  private final List<Block> blocks = new ArrayList<>();

  /**
   * Sums over observations.
   *
   * @param startMicros start of the pane of the first
   * @param observed means: sum of z; counts: count
   * @param weight means: number of z; counts: expected count
   * @param effect means: sum of residual / variance
   * @param precision means: sum of 1 / variance
   */
  private record Block(
      long startMicros, double observed, double weight, double effect, double precision) {
    Block and(Block next) {
      return new Block(
          startMicros,
          observed + next.observed,
          weight + next.weight,
          effect + next.effect,
          precision + next.precision);
    }
  }

  void add(long startMicros, TrackCalibration track, Observation seen) {
    Track.Kind kind = track.track().kind();
    if (kind.gaussian()) {
      double variance = track.variance(seen);
      blocks.add(
          new Block(
              startMicros,
              track.standardised(seen),
              1,
              (seen.observed() - track.center()) / variance,
              1 / variance));
    } else {
      double expected = kind == Track.Kind.SHARE ? seen.expected() * seen.size() : seen.expected();
      blocks.add(new Block(startMicros, seen.observed(), expected, 0, 0));
    }
    if (blocks.size() > MOST_BLOCKS) {
      mergeOlderHalf();
    }
  }

  private void mergeOlderHalf() {
    List<Block> older = new ArrayList<>(blocks.subList(0, MOST_BLOCKS / 2));
    List<Block> newer = new ArrayList<>(blocks.subList(MOST_BLOCKS / 2, blocks.size()));
    blocks.clear();
    for (int i = 0; i + 1 < older.size(); i += 2) {
      blocks.add(older.get(i).and(older.get(i + 1)));
    }
    blocks.addAll(newer);
  }

  Optional<Shift> shift(TrackCalibration track, long lastQuietMicros) {
    int since = 0;
    while (since < blocks.size() && blocks.get(since).startMicros() <= lastQuietMicros) {
      since++;
    }
    List<Block> part = blocks.subList(Math.max(0, since - BLOCKS_BEFORE), blocks.size());
    if (part.size() < 2) {
      return Optional.empty();
    }
    double[] posterior = posterior(part, track);
    int best = 0;
    int earliest = -1;
    int latest = posterior.length - 1;
    double below = 0;
    for (int at = 0; at < posterior.length; at++) {
      if (posterior[at] > posterior[best]) {
        best = at;
      }
      below += posterior[at];
      if (earliest < 0 && below >= ONSET_TAIL) {
        earliest = at;
      }
      if (below >= 1 - ONSET_TAIL) {
        latest = Math.min(latest, at);
      }
    }
    Block after = sum(part, best + 1, part.size());
    // posterior[i] is a change between block i and i + 1.
    return Optional.of(
        effect(
            track,
            after,
            part.get(best + 1).startMicros(),
            part.get(Math.max(0, earliest) + 1).startMicros(),
            part.get(latest + 1).startMicros(),
            isGradual(part, track)));
  }

  private static boolean isGradual(List<Block> part, TrackCalibration track) {
    boolean gaussian = track.track().kind().gaussian();
    Block all = sum(part, 0, part.size());
    // Counts vary as their expectation, which is off by this factor over the whole part.
    double usual = Math.max(all.observed() / Math.max(all.weight(), 1e-12), 1e-12);
    List<Block> points = part.stream().filter(block -> block.weight() > 0).toList();
    double[] time = new double[points.size()];
    double[] value = new double[points.size()];
    double[] precision = new double[points.size()];
    for (int at = 0; at < points.size(); at++) {
      Block block = points.get(at);
      time[at] = (block.startMicros() - part.get(0).startMicros()) / MICROS_PER_MINUTE;
      value[at] = block.observed() / block.weight();
      precision[at] = block.weight() / (track.inflation() * (gaussian ? 1 : usual));
    }
    return Trend.isGradual(time, value, precision);
  }

  private static Block sum(List<Block> part, int from, int to) {
    Block total = part.get(from);
    for (int at = from + 1; at < to; at++) {
      total = total.and(part.get(at));
    }
    return total;
  }

  private static double[] posterior(List<Block> part, TrackCalibration track) {
    boolean gaussian = track.track().kind().gaussian();
    double observed = 0;
    double weight = 0;
    for (Block block : part) {
      observed += block.observed();
      weight += block.weight();
    }
    double[] posterior = new double[part.size() - 1];
    double before = 0;
    double weightBefore = 0;
    double highest = 0;
    for (int at = 0; at < posterior.length; at++) {
      before += part.get(at).observed();
      weightBefore += part.get(at).weight();
      double ratio =
          gaussian
              ? gaussian(before, weightBefore, observed - before, weight - weightBefore)
              : counts(before, weightBefore, observed - before, weight - weightBefore);
      posterior[at] = ratio / track.inflation();
      highest = Math.max(highest, posterior[at]);
    }
    double total = 0;
    for (int at = 0; at < posterior.length; at++) {
      posterior[at] = StrictMath.exp(posterior[at] - highest);
      total += posterior[at];
    }
    for (int at = 0; at < posterior.length; at++) {
      posterior[at] /= total;
    }
    return posterior;
  }

  private static double gaussian(double sum1, double n1, double sum2, double n2) {
    double difference = sum2 / n2 - sum1 / n1;
    return n1 * n2 / (n1 + n2) * difference * difference / 2;
  }

  private static double counts(double k1, double e1, double k2, double e2) {
    return entropy(k1, e1) + entropy(k2, e2) - entropy(k1 + k2, e1 + e2);
  }

  private static double entropy(double k, double e) {
    return k > 0 && e > 0 ? k * StrictMath.log(k / e) : 0;
  }

  private static Shift effect(
      TrackCalibration track,
      Block after,
      long onset,
      long earliest,
      long latest,
      boolean gradual) {
    if (track.track().kind().gaussian()) {
      double effect = after.effect() / after.precision();
      double variance =
          track.inflation() * (1 / after.precision() + 1 / track.referencePrecision());
      double half = INTERVAL_QUANTILE * Math.sqrt(variance);
      return new Shift(
          onset, earliest, latest, effect, effect - half, effect + half, false, gradual);
    }
    // Half an event more keeps the logarithm finite when none was seen.
    double count = after.observed() + 0.5;
    double expected = Math.max(after.weight(), 1e-12);
    double effect = after.observed() / expected;
    double variance =
        track.inflation() * (1 / count + 1 / Math.max(track.referencePrecision(), 0.5));
    double factor = StrictMath.exp(INTERVAL_QUANTILE * Math.sqrt(variance));
    double center = count / expected;
    return new Shift(
        onset,
        earliest,
        latest,
        effect,
        Math.min(effect, center / factor),
        center * factor,
        true,
        gradual);
  }

  void write(Content.Writer out) {
    out.count(blocks.size());
    for (Block block : blocks) {
      out.whole(block.startMicros());
      out.number(block.observed());
      out.number(block.weight());
      out.number(block.effect());
      out.number(block.precision());
    }
  }

  void read(Content.Reader in) {
    blocks.clear();
    for (int left = in.count(); left > 0; left--) {
      blocks.add(new Block(in.whole(), in.number(), in.number(), in.number(), in.number()));
    }
  }
}
