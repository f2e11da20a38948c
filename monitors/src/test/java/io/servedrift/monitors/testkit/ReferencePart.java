package io.servedrift.monitors.testkit;

import io.servedrift.monitors.detection.ReferenceAlarms;
import io.servedrift.monitors.testkit.PeerComparison.Metric;
import io.servedrift.monitors.testkit.ReferenceTraffic.Change;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * What is measured on the reference traffic with a baseline of one week, at the alarm level for one
 * false alarm in 1.9 years and family: false alarms over 30 days, those of the peers beside them,
 * and delays. All families of a metric count together. Stateless.
 */
final class ReferencePart {
  /** M of an alarm, minutes. */
  private static final double LEVEL = 1e6;

  private static final int DAYS = 37;
  private static final double PER_MINUTE = 20;
  private static final int SERIES = 100;

  private ReferencePart() {}

  /** False alarms of the detector. */
  record FalseAlarms() implements AcceptancePart {
    @Override
    public String name() {
      return "false-alarms";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      int n = size.of(2, SERIES);
      for (Regime regime : List.of(Regime.REAL, Regime.HARSH)) {
        for (Metric metric : Metric.values()) {
          ScenarioScorer scorer = new ScenarioScorer();
          size.forSeeds(n, seed -> quiet(seed, regime, metric)).forEach(scorer::add);
          table.accept(
              AcceptanceRow.alarms(
                  name(),
                  metric.label() + ", " + regime.name().toLowerCase(Locale.ROOT) + ", 30 days",
                  n,
                  scorer.total().falseAlarms(),
                  regime == Regime.REAL ? 1 : 3));
        }
      }
    }
  }

  private static Observation quiet(long seed, Regime regime, Metric metric) {
    ReferenceTraffic traffic = ReferenceTraffic.of(seed, DAYS, regime, PER_MINUTE);
    return observation("quiet", Truth.SILENCE, traffic, 0, metric);
  }

  private static Observation observation(
      String group, Truth truth, ReferenceTraffic traffic, int onset, Metric metric) {
    List<Outcome> outcomes =
        ReferenceAlarms.minutes(traffic, metric, LEVEL).stream()
            .map(minute -> new Outcome(at(minute), metric.label(), CauseLabel.UNEXPLAINED, true))
            .toList();
    return new Observation(
        group,
        truth,
        at(ReferenceTraffic.REFERENCE_MINUTES),
        at(onset),
        at(traffic.minutes()),
        FinishTimes.UNKNOWN,
        outcomes);
  }

  private static Instant at(int minute) {
    return PeerComparison.START.plusSeconds(60L * minute);
  }

  /** False alarms of what others use. */
  record Peers() implements AcceptancePart {
    @Override
    public String name() {
      return "peers";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      int n = size.of(2, SERIES);
      PeerComparison comparison = new PeerComparison(Regime.REAL, DAYS, PER_MINUTE);
      for (Metric metric : Metric.values()) {
        ScenarioScorer scorer = new ScenarioScorer();
        comparison.addQuiet(metric, size.seed(), n, scorer);
        scorer
            .rows()
            .forEach(
                (peer, row) ->
                    table.accept(
                        AcceptanceRow.alarms(
                            name(),
                            metric.label() + ", real, 30 days: " + peer,
                            n,
                            row.falseAlarms(),
                            Double.POSITIVE_INFINITY)));
      }
    }
  }

  /** Delays of the detector. */
  record Delays() implements AcceptancePart {
    private static final int CHANGE_FROM = ReferenceTraffic.REFERENCE_MINUTES + 1440;
    private static final double SILENT = 0.95;

    @Override
    public String name() {
      return "delay";
    }

    @Override
    public void run(AcceptanceSize size, Consumer<AcceptanceRow> table) {
      one(size, table, Change.CACHE_CLIP, 20, 75);
      one(size, table, Change.CACHE_CLIP, 100, 25);
      one(size, table, Change.BATCH_P99, 20, 600);
      one(size, table, Change.BATCH_P99, 100, 130);
    }

    private void one(
        AcceptanceSize size,
        Consumer<AcceptanceRow> table,
        Change change,
        double perMinute,
        double bar) {
      boolean scores = change == Change.CACHE_CLIP;
      int n = size.of(3, SERIES);
      ScenarioScorer scorer = new ScenarioScorer();
      size.forSeeds(n, seed -> changed(seed, change, perMinute)).forEach(scorer::add);
      String what =
          (scores ? "hits lose 0.02 CLIP" : "p99 doubles in batches of 8+")
              + String.format(Locale.ROOT, ", %.0f/min", perMinute);
      ScenarioScorer.Row row = scorer.total();
      table.accept(
          AcceptanceRow.delay(name(), what + ": median delay", n, row.minutes(), bar, SERIES));
      table.accept(
          AcceptanceRow.atLeast(
              name(), what + ": silent before", row.falseAlarms().silent(), SILENT, SERIES));
    }

    /** A change at a random minute of the second day after the reference week. */
    private static Observation changed(long seed, Change change, double perMinute) {
      boolean scores = change == Change.CACHE_CLIP;
      int at = CHANGE_FROM + new SplittableRandom(seed).nextInt(1440);
      ReferenceTraffic traffic =
          ReferenceTraffic.of(seed, scores ? 10 : 11, Regime.REAL, perMinute).with(change, at);
      Metric metric = scores ? Metric.CLIP : Metric.LATENCY;
      Truth truth =
          scores
              ? Truth.worse(CauseLabel.CACHE, Map.of("cache", "hit"), metric.label())
              : Truth.worse(CauseLabel.BATCHING, Map.of("batch", "8-15"), metric.label());
      return observation("changed", truth, traffic, at, metric);
    }
  }
}
