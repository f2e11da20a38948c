package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanInterval;
import io.servedrift.monitors.stats.Moments;
import io.servedrift.monitors.stats.ProportionInterval;
import io.servedrift.monitors.stats.SampleSize;
import io.servedrift.monitors.stats.WilcoxonSignedRank;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Whether outputs are farther apart than the noise floor allows: ln((distance + least) / (floor +
 * least)) by prompt, its mean by a one-sided paired t and its middle by Wilcoxon's signed ranks,
 * both against ln of the allowed ratio. The floor is a side against itself, as continuous batching
 * makes even that differ. A distance without a good answer on both ends does not count.
 */
final class OutputGaps {
  private static final double POWER = 0.9;

  private final GatePolicy policy;
  private final Map<ArmPair, SortedMap<Answers.Key, PairDistance>> pairs = new HashMap<>();

  OutputGaps(GateCase gate) {
    policy = gate.policy();
    Map<Arm, Set<Answers.Key>> compared = new HashMap<>();
    for (Arm arm : gate.answers().arms()) {
      compared.put(
          arm,
          gate.answers().compared(arm).stream().map(Answers.Key::of).collect(Collectors.toSet()));
    }
    for (PairDistance distance : gate.evidence().distances()) {
      ArmPair pair = distance.pair();
      Answers.Key key = new Answers.Key(distance.prompt(), distance.seed());
      if (compared.getOrDefault(pair.left(), Set.of()).contains(key)
          && compared.getOrDefault(pair.right(), Set.of()).contains(key)) {
        pairs.computeIfAbsent(pair, p -> new TreeMap<>()).merge(key, distance, OutputGaps::first);
      }
    }
  }

  /** Of two distances of one pair always the same one, whatever the order. */
  private static PairDistance first(PairDistance one, PairDistance other) {
    return one.toString().compareTo(other.toString()) <= 0 ? one : other;
  }

  /** Whether the outputs of a pair were compared at all. */
  boolean has(ArmPair pair) {
    return pairs.containsKey(pair);
  }

  private List<PairDistance> of(ArmPair pair) {
    return List.copyOf(pairs.getOrDefault(pair, new TreeMap<>()).values());
  }

  /** Share of identical outputs, against the share that was promised. */
  Measure identical(ArmPair pair) {
    List<PairDistance> all = of(pair);
    long same = all.stream().filter(PairDistance::identical).count();
    return share(
        "identical outputs",
        pair,
        same,
        same,
        all.size(),
        policy.outputs().identicalShare(),
        "Clopper-Pearson");
  }

  /**
   * Share of pairs whose embeddings are alike. One without embedding counts as unlike where the
   * share could pass, and as alike where it could fail.
   */
  Measure alike(ArmPair pair) {
    String name = "outputs with cosine of at least " + policy.outputs().cosine();
    double bound = 1 - policy.outputs().cosine() + 1e-12;
    long alike = 0;
    long unknown = 0;
    List<PairDistance> all = of(pair);
    for (PairDistance distance : all) {
      Double value = DistanceKind.COSINE.of(distance);
      unknown += value == null ? 1 : 0;
      alike += value != null && value <= bound ? 1 : 0;
    }
    if (unknown > 0 && unknown == all.size()) {
      return Verdicts.missing(name, pair.label(), "the scorer gave no embeddings");
    }
    double share = policy.outputs().cosineShare();
    String test =
        unknown == 0 ? "Clopper-Pearson" : "Clopper-Pearson; " + unknown + " without embedding";
    return share(name, pair, alike, alike + unknown, all.size(), share, test);
  }

  /** A share of n, of which at least {@code least} and at most {@code most} are known to count. */
  private Measure share(
      String name, ArmPair pair, long least, long most, long n, double bound, String test) {
    if (n == 0) {
      return Verdicts.missing(name, pair.label(), "outputs were not compared");
    }
    double low = ProportionInterval.clopperPearson(least, n, policy.level()).lower();
    double high = ProportionInterval.clopperPearson(most, n, policy.level()).upper();
    MeasureState state =
        n < policy.minimumPairs() ? MeasureState.INSUFFICIENT : Verdicts.atLeast(low, high, bound);
    return new Measure(
        name,
        pair.label(),
        (double) least / n,
        low,
        high,
        policy.level(),
        n,
        bound,
        "share",
        state,
        state == MeasureState.INSUFFICIENT ? needed(bound, n - least, n) : null,
        test);
  }

  private long needed(double bound, long failures, long n) {
    long pairs = SampleSize.share(bound, failures, 1 - policy.alpha());
    return Math.max(Math.max(policy.minimumPairs(), pairs), n + 1);
  }

  /** The ratio of distances to those of the noise floor. */
  Measure ratio(ArmPair pair, ArmPair floor) {
    String of = pair.label() + ", floor " + floor.label();
    for (DistanceKind kind : DistanceKind.values()) {
      double[] logs = logRatios(pair, floor, kind);
      if (logs.length >= 2) {
        return ratio(kind, of, logs);
      }
    }
    return Verdicts.missing("distance to noise floor", of, "outputs were not compared");
  }

  private Measure ratio(DistanceKind kind, String of, double[] logs) {
    Moments moments = Numbers.moments(logs);
    double sd = Numbers.sd(moments);
    Interval interval = MeanInterval.of(moments.n(), moments.mean(), sd, policy.level());
    double bound = Math.log(policy.outputs().distanceRatio());
    double ranks = WilcoxonSignedRank.of(Arrays.stream(logs).map(l -> l - bound).toArray()).lower();
    MeasureState state = Verdicts.atMost(interval.lower(), interval.upper(), bound);
    if (moments.n() < policy.minimumPairs()
        || (state == MeasureState.PASS && ranks > policy.alpha())) {
      state = MeasureState.INSUFFICIENT;
    }
    double room = Math.max(bound / 2, Math.abs(bound - moments.mean()));
    long needed =
        Math.max(
            Math.max(policy.minimumPairs(), moments.n() + 1),
            SampleSize.nonInferiority(sd, room, policy.alpha(), POWER));
    return new Measure(
        "distance to noise floor (" + kind.label() + ")",
        of,
        Math.exp(moments.mean()),
        Math.exp(interval.lower()),
        Math.exp(interval.upper()),
        policy.level(),
        moments.n(),
        policy.outputs().distanceRatio(),
        "ratio",
        state,
        state == MeasureState.INSUFFICIENT ? needed : null,
        "paired t on the logarithm, and Wilcoxon's signed ranks");
  }

  /** One per prompt that has both; none unless every pair of both has this distance. */
  private double[] logRatios(ArmPair pair, ArmPair floor, DistanceKind kind) {
    SortedMap<Integer, Double> below = logs(floor, kind);
    SortedMap<Integer, Double> ratios = new TreeMap<>();
    logs(pair, kind)
        .forEach(
            (prompt, log) -> {
              Double other = below.get(prompt);
              if (other != null) {
                ratios.put(prompt, log - other);
              }
            });
    return Numbers.array(ratios);
  }

  private SortedMap<Integer, Double> logs(ArmPair pair, DistanceKind kind) {
    SortedMap<Answers.Key, Double> logs = new TreeMap<>();
    for (PairDistance distance : of(pair)) {
      Double value = kind.of(distance);
      if (value == null) {
        return new TreeMap<>();
      }
      logs.put(new Answers.Key(distance.prompt(), distance.seed()), Math.log(value + kind.least()));
    }
    return Numbers.byPrompt(logs);
  }

  /** Median place of the first token that differs, where one does; for people. */
  Measure firstDivergence(ArmPair pair) {
    int[] places =
        of(pair).stream()
            .map(PairDistance::firstDivergence)
            .filter(Objects::nonNull)
            .mapToInt(Integer::intValue)
            .sorted()
            .toArray();
    return new Measure(
        "first token that differs, median",
        pair.label(),
        places.length == 0 ? null : Double.valueOf(places[(places.length - 1) / 2]),
        null,
        null,
        policy.level(),
        places.length,
        null,
        "token",
        MeasureState.REPORTED,
        null,
        "of the pairs that differ");
  }
}
