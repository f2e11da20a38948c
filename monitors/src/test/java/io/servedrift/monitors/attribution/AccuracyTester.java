package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.SimulatedTraffic.Fault;
import io.servedrift.monitors.attribution.Traffic.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Random scenarios: load 0.7 to 1.6 times the reference's, another mix, a window of 2 to 6 hours at
 * any time of the day, and in most of them one fault. The right answer is the larger of what the
 * traffic and what the fault did to the metric in the direction of the whole, by running the same
 * traffic without the fault; in a third of them, where an alarm of observed minus expected is
 * explained, it is the fault. Load and traffic mix count as one. Scenarios whose shift is below a
 * tenth of a standard deviation are passed over.
 */
public final class AccuracyTester {
  private static final int REFERENCE_MINUTES = 4 * 1440;
  private static final int REFERENCES = 4;
  private static final double RATE = 12;

  private final List<Traffic> references = new ArrayList<>();
  private final List<LoadBuckets> buckets = new ArrayList<>();

  /**
   * Simulates what is compared with.
   *
   * @param seed of the first reference
   */
  public AccuracyTester(long seed) {
    for (int i = 0; i < REFERENCES; i++) {
      references.add(new SimulatedTraffic(seed + i, RATE).run(0, REFERENCE_MINUTES, new Fault()));
      buckets.add(LoadBuckets.of(references.get(i).loads()));
    }
  }

  /** Answers by right answer. */
  public record Result(Map<Cause, Map<Cause, Integer>> confusion, List<String> wrong) {
    /** Scenarios with a shift. */
    public int total() {
      return confusion.values().stream()
          .flatMap(answers -> answers.values().stream())
          .mapToInt(Integer::intValue)
          .sum();
    }

    /** How often a right answer got an answer. */
    public int answered(Cause right, Cause answer) {
      return confusion.getOrDefault(right, Map.of()).getOrDefault(answer, 0);
    }

    /** How often the answer was right. */
    public int right() {
      return confusion.keySet().stream().mapToInt(cause -> answered(cause, cause)).sum();
    }

    /** How often it was undecided. */
    public int undecided() {
      return confusion.keySet().stream()
          .mapToInt(cause -> answered(cause, Cause.INCONCLUSIVE))
          .sum();
    }

    /** How often a serving cause was called unexplained or model. */
    public int servingCalledUnexplained() {
      return confusion.keySet().stream()
          .filter(Cause::serving)
          .mapToInt(cause -> answered(cause, Cause.UNEXPLAINED))
          .sum();
    }
  }

  /** Runs scenarios until so many had a shift worth a finding. */
  public Result run(long seed, int scenarios) {
    Map<Cause, Map<Cause, Integer>> confusion = new TreeMap<>();
    List<String> wrong = new ArrayList<>();
    int done = 0;
    for (long i = seed; done < scenarios; i++) {
      done += one(i, confusion, wrong) ? 1 : 0;
    }
    return new Result(confusion, wrong);
  }

  private boolean one(long seed, Map<Cause, Map<Cause, Integer>> confusion, List<String> wrong) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean score = random.nextBoolean();
    Fault fault = new Fault();
    fault.load = Math.exp(random.nextDouble(Math.log(.7), Math.log(1.6)));
    for (int g = 0; g < fault.mix.length; g++) {
      fault.mix[g] = .4 * random.nextGaussian();
    }
    Cause injected = inject(fault, score, random);
    int from = random.nextInt(1440);
    int minutes = 60 * random.nextInt(2, 7);
    int r = random.nextInt(REFERENCES);
    ToDoubleFunction<Request> value = score ? Request::clip : Request::logLatency;
    SimulatedTraffic after = new SimulatedTraffic(seed + 1_000_000, RATE);
    Traffic window = after.run(from, minutes, fault);
    double before = mean(references.get(r), value);
    double healthy = mean(after.run(from, minutes, fault.trafficOnly()), value);
    double now = mean(window, value);
    double sign = Math.signum(now - before);
    double byTraffic = sign * (healthy - before);
    double byFault = sign * (now - healthy);
    double sd = score ? .03 : .25;
    boolean adjusted = random.nextInt(3) == 0 && injected != Cause.LOAD;
    double faultSign = Math.signum(now - healthy);
    boolean shift =
        adjusted
            ? Math.abs(now - healthy) >= .15 * sd
            : Math.max(byTraffic, byFault) >= .15 * sd && Math.abs(now - before) >= .1 * sd;
    if (!shift) {
      return false;
    }
    Measure all = score ? Measure.scoreMean() : Measure.latencyMean();
    Measure measure = adjusted ? all.adjusted((int) faultSign) : all;
    Attribution found =
        new Attributor()
            .attribute(
                window.against(
                    references.get(r),
                    buckets.get(r),
                    measure,
                    value,
                    SimulatedTraffic.GROUPS,
                    SimulatedTraffic.NODES));
    Cause answer = group(found.verdict().cause());
    Cause right = !adjusted && byTraffic >= byFault ? Cause.LOAD : injected;
    confusion.computeIfAbsent(right, c -> new TreeMap<>()).merge(answer, 1, Integer::sum);
    if (answer != right) {
      wrong.add(
          String.format(
              "%d %s %s right=%s traffic=%.4f fault=%.4f: %s",
              seed,
              score ? "clip" : "latency",
              adjusted ? "adjusted" : "all",
              right,
              byTraffic,
              byFault,
              found.verdict()));
    }
    return true;
  }

  private static Cause group(Cause cause) {
    return cause == Cause.TRAFFIC_MIX ? Cause.LOAD : cause;
  }

  private static Cause inject(Fault fault, boolean score, SplittableRandom random) {
    double size = random.nextDouble(.6, 1.6);
    switch (random.nextInt(8)) {
      case 0 -> {
        fault.clipHit = -.03 * size;
        fault.latencyHit = .4 * size;
        return Cause.CACHE;
      }
      case 1 -> {
        fault.hits = score ? 1 : .2;
        fault.clipHit = score ? -.03 * size : 0;
        return Cause.CACHE;
      }
      case 2 -> {
        fault.clipLargeBatch = -.04 * size;
        fault.latencyLargeBatch = .5 * size;
        return Cause.BATCHING;
      }
      case 3 -> {
        fault.batch = score ? 1 : 1.4 + .6 * size;
        fault.clipLargeBatch = score ? -.04 * size : 0;
        return Cause.BATCHING;
      }
      case 4 -> {
        fault.preemption = 5;
        fault.clipPreempted = -.08 * size;
        fault.latencyPreempted = size;
        return Cause.SCHEDULING;
      }
      case 5 -> {
        fault.clipNode0 = -.05 * size;
        fault.latencyNode0 = .5 * size;
        return Cause.NODE;
      }
      case 6 -> {
        fault.clipAll = -.012 * size;
        fault.latencyAll = .15 * size;
        return Cause.UNEXPLAINED;
      }
      default -> {
        return Cause.LOAD;
      }
    }
  }

  private static double mean(Traffic traffic, ToDoubleFunction<Request> value) {
    return traffic.requests().stream().mapToDouble(value).average().orElseThrow();
  }
}
