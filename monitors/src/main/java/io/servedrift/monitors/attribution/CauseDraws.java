package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shares of the causes and the probability of being the largest, by draws: effects from the
 * posterior of the localisation, exposures from a block bootstrap of the window (STATISTICS C.5).
 * Load and traffic mix compete as one, traffic, and share its probability. Event evidence enters
 * the probabilities with weight 1/2. Used once; not thread-safe.
 */
final class CauseDraws {
  /** Causes that cells can show, in the order of ties. */
  static final List<Cause> CAUSES =
      List.of(
          Cause.LOAD,
          Cause.TRAFFIC_MIX,
          Cause.CACHE,
          Cause.BATCHING,
          Cause.SCHEDULING,
          Cause.NODE,
          Cause.UNEXPLAINED);

  private static final double EVENT_WEIGHT = .5;
  private static final double SMOOTHING = 1e-3;
  private static final double TAIL = .025;

  private final List<Cause> causes;
  private final Exposure exposure;
  private final Localisation localisation;
  private final boolean byBatch;
  private final @Nullable NarrowMove narrow;
  private final double narrowly;
  private final double sign;

  /**
   * Prepares the draws.
   *
   * @param byBatch whether what is shared by all requests is charged to batching
   */
  CauseDraws(
      List<Cause> causes,
      Exposure exposure,
      Localisation localisation,
      boolean byBatch,
      @Nullable NarrowMove narrow,
      double narrowly,
      double sign) {
    this.narrow = narrow;
    this.narrowly = narrowly;
    this.causes = causes;
    this.exposure = exposure;
    this.localisation = localisation;
    this.byBatch = byBatch;
    this.sign = sign;
  }

  List<CauseShare> shares(int count, SeededDraws draws, Map<Cause, Double> events) {
    double[][] contribution = new double[causes.size()][count];
    double[][] share = new double[causes.size()][count];
    double[] wins = new double[causes.size()];
    for (int r = 0; r < count; r++) {
      double[] drawn = aligned(exposure.resample(r), drawn(draws));
      double[] drawnShares = shares(drawn);
      wins[largest(drawn)]++;
      for (int i = 0; i < drawn.length; i++) {
        contribution[i][r] = drawn[i] * sign;
        share[i][r] = drawnShares[i];
      }
    }
    for (int i = 0; i < wins.length; i++) {
      wins[i] /= count;
    }
    return assemble(contribution, share, weighed(wins, events));
  }

  private List<CauseShare> assemble(
      double[][] contribution, double[][] share, double[] probability) {
    Map<Cause, Double> exposures = exposure.point();
    Map<Cause, Double> effects = withNarrow(charged(localisation.contributions()), 0);
    double[] shares = shares(aligned(exposures, effects));
    List<CauseShare> result = new ArrayList<>();
    for (int i = 0; i < causes.size(); i++) {
      Cause cause = causes.get(i);
      result.add(
          new CauseShare(
              cause,
              exposures.getOrDefault(cause, 0.0),
              effects.getOrDefault(cause, 0.0),
              middle(contribution[i]),
              shares[i],
              middle(share[i]),
              probability[i]));
    }
    result.sort(Comparator.comparingDouble(CauseShare::share).reversed());
    return List.copyOf(result);
  }

  private Map<Cause, Double> drawn(SeededDraws draws) {
    Map<Cause, Double> effects = charged(localisation.draw(draws));
    return narrow == null ? effects : withNarrow(effects, narrow.sd() * draws.normal());
  }

  private Map<Cause, Double> charged(Map<Cause, Double> effects) {
    Double byAll = byBatch ? effects.remove(Cause.UNEXPLAINED) : null;
    if (byAll != null) {
      effects.merge(Cause.BATCHING, byAll, Double::sum);
    }
    return effects;
  }

  private Map<Cause, Double> withNarrow(Map<Cause, Double> effects, double unsure) {
    if (narrow != null && narrow.mechanism() == Mechanism.EFFECT) {
      effects.merge(narrow.cause(), narrowly + unsure, Double::sum);
    }
    return effects;
  }

  private double[] aligned(Map<Cause, Double> exposures, Map<Cause, Double> effects) {
    double[] result = new double[causes.size()];
    for (int i = 0; i < result.length; i++) {
      Cause cause = causes.get(i);
      result[i] = sign * (exposures.getOrDefault(cause, 0.0) + effects.getOrDefault(cause, 0.0));
    }
    return result;
  }

  /** Traffic of an aligned draw: load and mix may cancel. */
  private double traffic(double[] aligned) {
    double sum = 0;
    for (int i = 0; i < aligned.length; i++) {
      sum += causes.get(i).traffic() ? aligned[i] : 0;
    }
    return sum;
  }

  private double[] shares(double[] aligned) {
    double traffic = Math.max(0, traffic(aligned));
    double trafficParts = 0;
    double all = traffic;
    for (int i = 0; i < aligned.length; i++) {
      double part = Math.max(0, aligned[i]);
      trafficParts += causes.get(i).traffic() ? part : 0;
      all += causes.get(i).traffic() ? 0 : part;
    }
    double[] result = new double[aligned.length];
    for (int i = 0; i < result.length; i++) {
      double part = Math.max(0, aligned[i]);
      double scale = !causes.get(i).traffic() ? 1 : traffic > 0 ? traffic / trafficParts : 0;
      result[i] = all > 0 ? part * scale / all : 0;
    }
    return result;
  }

  /** Index of the largest cause; traffic wins as a whole and is then named by its larger part. */
  private int largest(double[] aligned) {
    double traffic = traffic(aligned);
    int best = -1;
    double bestValue = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < aligned.length; i++) {
      double value = causes.get(i).traffic() ? traffic : aligned[i];
      boolean largerPart =
          best >= 0
              && causes.get(i).traffic()
              && causes.get(best).traffic()
              && aligned[i] > aligned[best];
      if (value > bestValue || largerPart) {
        best = i;
        bestValue = value;
      }
    }
    return best;
  }

  private double[] weighed(double[] wins, Map<Cause, Double> events) {
    if (events.isEmpty()) {
      return wins;
    }
    double trafficWins = 0;
    for (int i = 0; i < wins.length; i++) {
      trafficWins += causes.get(i).traffic() ? wins[i] : 0;
    }
    double[] result = new double[wins.length];
    double total = 0;
    for (int i = 0; i < wins.length; i++) {
      boolean traffic = causes.get(i).traffic();
      double smoothed = (traffic ? trafficWins : wins[i]) + SMOOTHING;
      double part = !traffic ? 1 : trafficWins > 0 ? wins[i] / trafficWins : .5;
      double event = events.getOrDefault(causes.get(i), 0.0);
      result[i] = part * smoothed * StrictMath.exp(EVENT_WEIGHT * event);
      total += result[i];
    }
    for (int i = 0; i < result.length; i++) {
      result[i] /= total;
    }
    return result;
  }

  private static Interval middle(double[] draws) {
    double[] sorted = draws.clone();
    Arrays.sort(sorted);
    int cut = (int) (TAIL * sorted.length);
    return new Interval(sorted[cut], sorted[sorted.length - 1 - cut]);
  }

  /** The exposure part of each cause: a point and bootstrap samples around it. */
  static final class Exposure {
    private final Map<Cause, Double> point;
    private final List<Map<Cause, Double>> resamples;

    Exposure(Map<Cause, Double> point, List<Map<Cause, Double>> resamples) {
      this.point = Map.copyOf(point);
      this.resamples = List.copyOf(resamples);
    }

    Map<Cause, Double> point() {
      return point;
    }

    Map<Cause, Double> resample(int draw) {
      return resamples.isEmpty() ? point : resamples.get(draw % resamples.size());
    }
  }
}
