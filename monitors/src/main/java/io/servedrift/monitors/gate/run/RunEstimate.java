package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a run will cost. Closed arms take between what perfect batching and no batching at all would
 * give; open ones take as long as they are told to.
 *
 * @param probes requests to each side that it rests on, the first of which only warms up
 * @param lines per regime, in order
 * @param loads of the open loop, whole, whatever of it is done; empty without one
 * @param requests in all; those of open loops whose rate is not known yet are guessed
 * @param leastSeconds in all
 * @param mostSeconds in all
 */
public record RunEstimate(
    int probes,
    List<Line> lines,
    List<LoadEstimate> loads,
    long requests,
    double leastSeconds,
    double mostSeconds) {
  public RunEstimate {
    lines = List.copyOf(lines);
    loads = List.copyOf(loads);
  }

  /** One regime, both sides together. */
  public record Line(Regime regime, long requests, double leastSeconds, double mostSeconds) {}

  /**
   * Estimates.
   *
   * @param steps what is still to be done
   * @param secondsPerRequest of a side when it has nothing else to do
   * @param peakPerSecond null when it is to be found in the run
   * @param afterFlip requests after the way back, 0 without it
   */
  static RunEstimate of(
      GatePlan plan,
      List<Step> steps,
      RunOptions options,
      ToDoubleFunction<Side> secondsPerRequest,
      @Nullable Double peakPerSecond,
      int afterFlip) {
    Map<Regime, Line> lines = new TreeMap<>();
    for (Step step : steps) {
      add(lines, line(plan, step, options, secondsPerRequest, peakPerSecond));
    }
    if (afterFlip > 0) {
      double one = Math.max(secondsPerRequest.applyAsDouble(Side.OLD), gap(options));
      double least = afterFlip * one / options.typicalConcurrency();
      add(lines, new Line(Regime.AFTER_FLIP, afterFlip, least, afterFlip * one));
    }
    List<Line> all = new ArrayList<>(lines.values());
    return new RunEstimate(
        Probe.REQUESTS,
        all,
        options.has(CheckName.P99_UNDER_LOAD)
            ? LoadEstimate.of(options, peakPerSecond, secondsPerRequest.applyAsDouble(Side.OLD))
            : List.of(),
        all.stream().mapToLong(Line::requests).sum(),
        all.stream().mapToDouble(Line::leastSeconds).sum(),
        all.stream().mapToDouble(Line::mostSeconds).sum());
  }

  private static double gap(RunOptions options) {
    return options.ratePerSecond() == 0 ? 0 : 1 / options.ratePerSecond();
  }

  private static void add(Map<Regime, Line> lines, Line line) {
    lines.merge(
        line.regime(),
        line,
        (a, b) ->
            new Line(
                a.regime(),
                a.requests() + b.requests(),
                a.leastSeconds() + b.leastSeconds(),
                a.mostSeconds() + b.mostSeconds()));
  }

  private static Line line(
      GatePlan plan,
      Step step,
      RunOptions options,
      ToDoubleFunction<Side> secondsPerRequest,
      @Nullable Double peakPerSecond) {
    Side side = step.side();
    double alone =
        side == null
            ? (secondsPerRequest.applyAsDouble(Side.OLD)
                    + secondsPerRequest.applyAsDouble(Side.NEW))
                / 2
            : secondsPerRequest.applyAsDouble(side);
    double perSecond = alone > 0 ? 1 / alone : 0;
    long requests = plan.requests(step, peakPerSecond, perSecond);
    if (step.regime() == Regime.OPEN_LOOP || step.regime() == Regime.FIXED_CONCURRENCY) {
      double block = options.block().toMillis() / 1e3;
      return new Line(step.regime(), requests, block, block);
    }
    double least = Math.max(alone / Math.max(1, step.concurrency()), gap(options));
    double most = Math.max(alone, gap(options));
    return new Line(step.regime(), requests, requests * least, requests * most);
  }
}
