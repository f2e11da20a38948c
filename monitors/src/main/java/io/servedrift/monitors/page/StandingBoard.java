package io.servedrift.monitors.page;

import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.judge.SeriesStanding;
import io.servedrift.monitors.ops.SeriesJudgement;
import io.servedrift.monitors.ops.SeriesJudgement.Verdict;
import io.servedrift.monitors.ops.SeriesSample;
import io.servedrift.monitors.pane.SeriesKey;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the judges of this process hold of their series, for the metrics. A deployment is judged by
 * one instance at a time; the others know its windows and findings but not its baselines.
 * Thread-safe.
 */
public final class StandingBoard implements Judge.Audience {
  private final Map<String, Map<SeriesKey, SeriesStanding>> standings = new ConcurrentHashMap<>();

  @Override
  public void judged(String deployment, Supplier<List<SeriesStanding>> series) {
    Map<SeriesKey, SeriesStanding> held = new TreeMap<>();
    series.get().forEach(one -> held.put(one.series(), one));
    standings.put(deployment, held);
  }

  @Override
  public void forgotten(String deployment) {
    standings.remove(deployment);
  }

  /** The samples, each with what is held of its series here. */
  public List<SeriesSample> judged(List<SeriesSample> samples) {
    return samples.stream().map(s -> s.judged(judgement(s))).toList();
  }

  private @Nullable SeriesJudgement judgement(SeriesSample sample) {
    SeriesKey key =
        new SeriesKey(sample.deployment(), sample.modelId(), sample.configId(), sample.metric());
    SeriesStanding held = standings.getOrDefault(sample.deployment(), Map.of()).get(key);
    Verdict verdict = held == null ? null : verdict(held.state(), sample);
    return held == null || verdict == null
        ? null
        : new SeriesJudgement(
            verdict,
            known(held.baselineMean()),
            known(held.baselineP99()),
            known(held.meanThreshold()),
            known(held.p99Threshold()));
  }

  /** Null where there is none: the policy does not judge the metric. */
  private static @Nullable Verdict verdict(SeriesStanding.State state, SeriesSample sample) {
    boolean enough = sample.p99() != null || sample.meanLower() != null;
    return switch (state) {
      case NOT_JUDGED -> null;
      case NO_BASELINE -> Verdict.INSUFFICIENT;
      case DRIFTED -> Verdict.DRIFT;
      case HOLDS -> enough ? Verdict.PASS : Verdict.INSUFFICIENT;
    };
  }

  private static @Nullable Double known(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
