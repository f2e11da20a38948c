package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a run, in order. One endpoint at a time is loaded, so that two that share a machine
 * do not disturb each other; old and new alternate, so that what drifts meanwhile meets both alike.
 * Immutable.
 */
final class GatePlan {
  /** Prompts of a step: little enough to do again, enough to fill a batch. */
  private static final int CHUNK = 32;

  private static final int FIXED_BLOCKS = 2;

  private final RunOptions options;
  private final List<GatePrompt> prompts;
  private final Function<Side, EndpointProfile> profiles;

  GatePlan(RunOptions options, List<GatePrompt> prompts, Function<Side, EndpointProfile> profiles) {
    this.options = options;
    this.prompts = List.copyOf(prompts);
    this.profiles = profiles;
  }

  /** Every step but the way back. */
  List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    boolean quality =
        options.has(CheckName.SEED_PARITY)
            || options.has(CheckName.BATCH_COMPOSITION)
            || options.has(CheckName.PROXY_DRIFT);
    if (quality) {
      inTurn(Regime.SINGLE, steps);
      production(steps);
    }
    if (options.has(CheckName.CACHE_PARITY)) {
      caching(steps);
    }
    if (quality) {
      // Late, so that what changes an endpoint in the course of the run is seen.
      inTurn(Regime.SINGLE_AGAIN, steps);
    }
    if (options.has(CheckName.P99_UNDER_LOAD)) {
      fixed(steps);
      open(steps);
    }
    return steps;
  }

  private void inTurn(Regime regime, List<Step> steps) {
    int block = 0;
    for (List<GatePrompt> chunk : chunks(prompts, 1)) {
      steps.add(new Step(regime, null, block++, null, chunk, 1));
    }
  }

  private void production(List<Step> steps) {
    int block = 0;
    List<List<GatePrompt>> chunks = chunks(prompts, BlockLevels.distinct(options.concurrency()));
    List<Integer> levels = BlockLevels.of(options.concurrency(), chunks.size());
    for (List<GatePrompt> chunk : chunks) {
      int level = levels.get(block);
      Side first = block % 2 == 0 ? Side.OLD : Side.NEW;
      Side second = other(first);
      steps.add(new Step(Regime.PRODUCTION, first, block, null, chunk, level));
      steps.add(new Step(Regime.PRODUCTION, second, block, null, chunk, level));
      steps.add(new Step(Regime.PRODUCTION_AGAIN, second, block, null, chunk, level));
      steps.add(new Step(Regime.PRODUCTION_AGAIN, first, block, null, chunk, level));
      block++;
    }
  }

  private void caching(List<Step> steps) {
    int block = 0;
    List<List<GatePrompt>> chunks = chunks(sharing(), BlockLevels.distinct(options.concurrency()));
    List<Integer> levels = BlockLevels.of(options.concurrency(), chunks.size());
    for (List<GatePrompt> chunk : chunks) {
      int level = levels.get(block);
      for (Regime regime : List.of(Regime.REUSE, Regime.RECOMPUTE, Regime.RECOMPUTE_AGAIN)) {
        for (Side side : block % 2 == 0 ? Side.values() : new Side[] {Side.NEW, Side.OLD}) {
          EndpointProfile profile = profiles.apply(side);
          boolean can =
              profile.caches()
                  && (regime == Regime.REUSE || profile.cacheBypass() || profile.flush());
          if (can) {
            // Without a bypass the cache is emptied before each request, which bears no company.
            boolean alone = regime != Regime.REUSE && !profile.cacheBypass();
            steps.add(new Step(regime, side, block, null, chunk, alone ? 1 : level));
          }
        }
      }
      block++;
    }
  }

  /** Prompts of groups that share something, or all when the file names no group. */
  private List<GatePrompt> sharing() {
    Map<String, List<GatePrompt>> groups = new LinkedHashMap<>();
    for (GatePrompt prompt : prompts) {
      if (prompt.sharedPrefix() != null) {
        groups.computeIfAbsent(prompt.sharedPrefix(), name -> new ArrayList<>()).add(prompt);
      }
    }
    List<GatePrompt> sharing = new ArrayList<>();
    groups.values().forEach(sharing::addAll);
    return sharing.isEmpty() ? prompts : sharing;
  }

  private void fixed(List<Step> steps) {
    for (int block = 0; block < Math.min(FIXED_BLOCKS, options.blocks()); block++) {
      for (Side side : block % 2 == 0 ? Side.values() : new Side[] {Side.NEW, Side.OLD}) {
        steps.add(
            new Step(
                Regime.FIXED_CONCURRENCY,
                side,
                block,
                null,
                prompts,
                options.typicalConcurrency()));
      }
    }
  }

  private void open(List<Step> steps) {
    for (int block = 0; block < options.blocks(); block++) {
      for (Double load : options.loads()) {
        for (Side side : Side.values()) {
          steps.add(new Step(Regime.OPEN_LOOP, side, block, load, prompts, 0));
        }
      }
    }
  }

  /** Parts of about equal size, at least so many where there are prompts for them. */
  private static List<List<GatePrompt>> chunks(List<GatePrompt> all, int least) {
    int parts = Math.max((all.size() + CHUNK - 1) / CHUNK, Math.min(least, all.size()));
    parts = Math.max(1, parts);
    List<List<GatePrompt>> chunks = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      chunks.add(
          all.subList(
              (int) ((long) i * all.size() / parts), (int) ((long) (i + 1) * all.size() / parts)));
    }
    return chunks;
  }

  private static Side other(Side side) {
    return side == Side.OLD ? Side.NEW : Side.OLD;
  }

  /**
   * Requests of a step.
   *
   * @param peakPerSecond arrival rate of load 1.0; null when not known yet
   * @param perSecond what an endpoint does at this concurrency; null when not known
   */
  long requests(Step step, @Nullable Double peakPerSecond, @Nullable Double perSecond) {
    double seconds = options.block().toMillis() / 1e3;
    return switch (step.regime()) {
      case SINGLE, SINGLE_AGAIN -> 2L * step.prompts().size();
      case REUSE -> 2L * step.prompts().size();
      case OPEN_LOOP -> {
        double rate = peakPerSecond == null ? perSecond == null ? 0 : perSecond : peakPerSecond;
        yield Math.round(rate * seconds * (step.load() == null ? 1 : step.load()));
      }
      case FIXED_CONCURRENCY -> Math.round((perSecond == null ? 0 : perSecond) * seconds);
      default -> step.prompts().size();
    };
  }
}
