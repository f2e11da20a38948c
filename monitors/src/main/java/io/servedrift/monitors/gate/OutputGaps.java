package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.MeanInterval;
import io.servedrift.monitors.stats.Moments;
import io.servedrift.monitors.stats.ProportionInterval;
import io.servedrift.monitors.stats.SampleSize;
import io.servedrift.monitors.stats.WilcoxonSignedRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether outputs are farther apart than the noise floor allows: ln((distance + least) / (floor +
 * least)) by prompt, its mean by a one-sided paired t and its middle by Wilcoxon's signed ranks,
 * both against ln of the allowed ratio. The floor is a side against itself, as continuous batching
 * makes even that differ. A distance without a good answer on both ends does not count.
 */
final class OutputGaps {
  private static final double POWER = 0.9;
  private static final String BLIND =
      "the embeddings of outputs that differ are all the same: the scorer sees nothing";

  /** Embeddings nearer than this are the same. */
  private static final double SAME = 1e-9;

  /** Outputs less alike than this can be told apart by anybody. */
  private static final double TOLD_APART = 0.99;

  private final GatePolicy policy;
  private final boolean blind;
  private final Modality modality;
  private final Map<ArmPair, SortedMap<Answers.Key, PairDistance>> pairs = new HashMap<>();

  OutputGaps(GateCase gate) {
    policy = gate.policy();
    modality = gate.evidence().modality();
    blind = blind(gate.evidence().distances());
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

  /**
   * Whether embeddings see nothing: outputs differ that anybody can tell apart, and every embedding
   * is the same.
   */
  private static boolean blind(List<PairDistance> all) {
    boolean apart = false;
    for (PairDistance distance : all) {
      Double cosine = distance.cosine();
      if (!distance.identical() && cosine != null) {
        if (!(cosine >= 1 - SAME)) {
          return false;
        }
        Double ssim = distance.ssim();
        apart |= ssim == null || !(ssim >= TOLD_APART);
      }
    }
    return apart;
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
    if (blind && of(pair).stream().anyMatch(d -> !d.identical())) {
      return Verdicts.missing(name, pair.label(), BLIND);
    }
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

  /**
   * The ratio of distances to those of the noise floor, of each kind that was measured: embeddings
   * and structure of images, tokens of chat. All must pass. At least one measure.
   */
  List<Measure> ratios(ArmPair pair, ArmPair floor) {
    List<Measure> ratios = new ArrayList<>();
    for (DistanceKind kind : kinds()) {
      boolean last = kind == DistanceKind.PSNR || kind == DistanceKind.TOKENS;
      if (!last || ratios.isEmpty()) {
        Measure measure = ratio(kind, pair, floor);
        if (measure != null) {
          ratios.add(measure);
        }
      }
    }
    String of = pair.label() + ", floor " + floor.label();
    return ratios.isEmpty()
        ? List.of(Verdicts.missing("distance to noise floor", of, "outputs were not compared"))
        : ratios;
  }

  private List<DistanceKind> kinds() {
    return modality == Modality.CHAT
        ? List.of(DistanceKind.TOKENS)
        : List.of(DistanceKind.COSINE, DistanceKind.SSIM, DistanceKind.PSNR);
  }

  /** Null when nobody measured this kind. */
  private @Nullable Measure ratio(DistanceKind kind, ArmPair pair, ArmPair floor) {
    String of = pair.label() + ", floor " + floor.label();
    String name = "distance to noise floor (" + kind.label() + ")";
    List<PairDistance> differing =
        Stream.concat(of(pair).stream(), of(floor).stream()).filter(d -> !d.identical()).toList();
    long without = differing.stream().filter(d -> kind.of(d) == null).count();
    if (differing.isEmpty() ? kind == DistanceKind.SSIM : without == differing.size()) {
      return null;
    }
    if (without > 0) {
      String why =
          without + " of " + differing.size() + " outputs that differ have no such distance";
      return Verdicts.missing(name, of, kind == DistanceKind.SSIM ? why + ": another size" : why);
    }
    if (kind == DistanceKind.COSINE && blind && !differing.isEmpty()) {
      return Verdicts.missing(name, of, BLIND);
    }
    double[] logs = logRatios(pair, floor, kind);
    return logs.length < 2 ? null : ratio(kind, of, logs);
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

  /** One per prompt that has both. */
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
