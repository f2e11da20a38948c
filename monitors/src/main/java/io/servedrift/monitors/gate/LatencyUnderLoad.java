package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.ProportionInterval;
import io.servedrift.monitors.stats.QuantileRatio;
import io.servedrift.monitors.stats.SampleSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Is the new side's p99 under open-loop load no longer than the old one's by more than the margin,
 * level by level. Latency counts from the scheduled arrival, so a server that stalls does not slow
 * its own test down.
 */
final class LatencyUnderLoad {
  private static final CheckName NAME = CheckName.P99_UNDER_LOAD;
  private static final double Q = 0.99;
  private static final double POWER = 0.9;
  private static final double LARGEST_RATIO = 1e5;

  /** The interval from order statistics needs a little more than the formula says. */
  private static final double PLAN = 1.25;

  private final GateCase gate;
  private final GatePolicy.Load rule;

  private LatencyUnderLoad(GateCase gate) {
    this.gate = gate;
    this.rule = gate.policy().load();
  }

  static CheckResult judge(GateCase gate) {
    return new LatencyUnderLoad(gate).judge();
  }

  private CheckResult judge() {
    RunSettings run = gate.evidence().settings();
    if (run.blockSeconds() < rule.blockSeconds() || run.warmUpSeconds() < rule.warmUpSeconds()) {
      return Verdicts.insufficient(
          NAME,
          "the run had blocks of "
              + run.blockSeconds()
              + " s with "
              + run.warmUpSeconds()
              + " s of warm-up; the policy asks for "
              + rule.blockSeconds()
              + " s and "
              + rule.warmUpSeconds()
              + " s");
    }
    List<Measure> required = new ArrayList<>();
    List<Measure> shown = new ArrayList<>();
    for (double load : rule.loads()) {
      Latencies older = latencies(Side.OLD, load);
      Latencies newer = latencies(Side.NEW, load);
      required.add(ratio(older, newer, load));
      if (rule.sloSeconds() != null) {
        required.add(slo(newer, load, rule.sloSeconds()));
      }
      if (older.n() > 0 && newer.n() > 0) {
        shown.add(phi(older, "old", load));
        shown.add(phi(newer, "new", load));
      }
    }
    fixedConcurrency(shown);
    return Verdicts.check(
        NAME, required, shown, "the p99 of the new side is not longer by more than the margin");
  }

  private Latencies latencies(Side side, double load) {
    return Latencies.of(
        gate.answers().of(new Arm(side, Regime.OPEN_LOOP)),
        load,
        gate.evidence().settings().warmUpSeconds());
  }

  private Measure ratio(Latencies older, Latencies newer, double load) {
    String of = "new against old, load " + level(load);
    if (older.n() == 0 || newer.n() == 0) {
      return Verdicts.missing("p99 ratio", of, "no open-loop latencies at this level");
    }
    double phi = Math.max(older.phi(), newer.phi());
    Measure m = ratio("p99 ratio", of, older.sorted(), newer.sorted(), older.phi(), newer.phi());
    long n = m.n();
    int blocks = Math.min(older.blocks().size(), newer.blocks().size());
    boolean enough = n >= rule.leastRequests() && blocks >= rule.blocks();
    MeasureState state = enough ? m.state() : MeasureState.INSUFFICIENT;
    String test =
        enough ? m.test() : m.test() + "; " + n + " requests per arm in " + blocks + " blocks";
    Measure judged = m.as(state, test);
    return state == MeasureState.INSUFFICIENT
        ? judged.needing(needed(older, newer, phi, n))
        : judged;
  }

  private Measure ratio(
      String name, String of, double[] older, double[] newer, double phiOld, double phiNew) {
    QuantileRatio ratio = QuantileRatio.of(newer, older, Q, phiNew, phiOld);
    Interval interval = ratio.interval(gate.policy().level());
    boolean oldCensored = Latencies.quantile(older, Q) == Latencies.NO_ANSWER;
    boolean newCensored = Latencies.quantile(newer, Q) == Latencies.NO_ANSWER;
    double bound = 1 + rule.margin();
    boolean censored = oldCensored || newCensored;
    // A limit that reaches into the requests without an answer is no number.
    boolean open = censored || interval.upper() > LARGEST_RATIO;
    return new Measure(
        name,
        of,
        censored ? null : Double.valueOf(ratio.ratio()),
        open ? null : Verdicts.limit(ratio, interval.lower()),
        open ? null : Verdicts.limit(ratio, interval.upper()),
        gate.policy().level(),
        Math.min(older.length, newer.length),
        bound,
        "ratio",
        oldCensored ? MeasureState.INSUFFICIENT : below(interval, bound),
        null,
        censored
            ? "the p99 of the "
                + (oldCensored ? newCensored ? "old and of the new" : "old" : "new")
                + " side falls on requests that got no answer"
            : "order statistics, on the logarithm; no answer is longer than any");
  }

  private static MeasureState below(Interval interval, double bound) {
    if (interval.upper() < bound) {
      return MeasureState.PASS;
    }
    return interval.lower() > bound ? MeasureState.FAIL : MeasureState.INSUFFICIENT;
  }

  /** Requests per arm for a power of .9, were both alike; never below what the policy asks. */
  private long needed(Latencies older, Latencies newer, double phi, long n) {
    double s = Math.max(spread(older.answered()), spread(newer.answered()));
    long plan =
        (long)
            Math.ceil(
                PLAN
                    * phi
                    * SampleSize.quantileRatio(s, rule.margin(), Q, gate.policy().alpha(), POWER));
    return Math.max(Math.max(rule.leastRequests(), plan), n < plan ? plan : n + 1);
  }

  /** Standard deviation of the logarithm, from the part that matters: the upper half. */
  private static double spread(double[] sorted) {
    if (sorted.length == 0) {
      return 0;
    }
    double median = Latencies.quantile(sorted, 0.5);
    double high = Latencies.quantile(sorted, Q);
    double normal = 2.3263478740408408;
    double upper = Math.log(high / median) / normal;
    double sd = Numbers.sd(Numbers.moments(Arrays.stream(sorted).map(Math::log).toArray()));
    return Math.max(upper, sd);
  }

  /** Share of requests above the limit, which must be shown to be below 1 %. */
  private Measure slo(Latencies newer, double load, double limit) {
    String name = "share above " + limit + " s";
    String of = "new, load " + level(load);
    double phi = newer.phi();
    long n = (long) Math.floor(newer.n() / phi);
    if (n < 1) {
      return Verdicts.missing(name, of, "no open-loop latencies at this level");
    }
    long above = Arrays.stream(newer.sorted()).filter(seconds -> seconds > limit).count();
    long counted = Math.min(n, (long) Math.ceil(above / phi));
    Interval interval = ProportionInterval.clopperPearson(counted, n, gate.policy().level());
    MeasureState state = Verdicts.atMost(interval.lower(), interval.upper(), 1 - Q);
    return new Measure(
        name,
        of,
        (double) above / newer.n(),
        interval.lower(),
        interval.upper(),
        gate.policy().level(),
        newer.n(),
        1 - Q,
        "share",
        state,
        state == MeasureState.INSUFFICIENT ? needed(newer, phi, counted) : null,
        "Clopper-Pearson on " + n + " effective requests");
  }

  private long needed(Latencies newer, double phi, long above) {
    long independent = SampleSize.share(Q, above, 1 - gate.policy().alpha());
    return Math.max(newer.n() + 1, (long) Math.ceil(phi * independent));
  }

  private Measure phi(Latencies latencies, String side, double load) {
    return new Measure(
        "variance between blocks",
        side + ", load " + level(load),
        latencies.phi(),
        null,
        null,
        gate.policy().level(),
        latencies.n(),
        null,
        "ratio",
        MeasureState.REPORTED,
        null,
        latencies.blocks().size() + " blocks");
  }

  /** The closed loop, for people who are used to it; it hides stalls and decides nothing. */
  private void fixedConcurrency(List<Measure> shown) {
    Latencies older = closed(Side.OLD);
    Latencies newer = closed(Side.NEW);
    if (older.n() > 0 && newer.n() > 0) {
      shown.add(
          Verdicts.reported(
              ratio(
                  "p99 ratio at fixed concurrency",
                  "new against old, " + gate.evidence().settings().concurrency() + " in flight",
                  older.sorted(),
                  newer.sorted(),
                  older.phi(),
                  newer.phi())));
    }
  }

  private Latencies closed(Side side) {
    return Latencies.of(
        gate.answers().of(new Arm(side, Regime.FIXED_CONCURRENCY)), (@Nullable Double) null, 0);
  }

  private static String level(double load) {
    return String.format(Locale.ROOT, "%.3g", load);
  }
}
