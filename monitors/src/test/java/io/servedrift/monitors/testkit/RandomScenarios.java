package io.servedrift.monitors.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws scenarios on image traffic: one fault of a kind drawn evenly, 0.6 to 1.6 times as large as
 * in {@link FaultLibrary#onImages}, between two and four hours after the first start; at the same
 * time, in half of them each, a load of 0.7 to 1.5 times and another mix. Hard ones: 0.6 to 1 times
 * as large, load and mix always move, one cache flag in thirty is wrong, one node has always been a
 * little worse, deployments that mean nothing are reported every seven minutes, and there is half
 * an hour less to look at. The same seed gives the same scenario. Stateless.
 */
final class RandomScenarios {
  private static final double WRONG_FLAGS = 0.03;
  private static final double NODE_OFFSET = 0.003;
  private static final int KINDS = 14;
  private static final int COLLINEAR = KINDS;

  private RandomScenarios() {}

  /** A fault that somebody has to be told, or a change of traffic or scorer that nobody has to. */
  static Scenario draw(long seed, boolean hard) {
    SplittableRandom random = new SplittableRandom(seed);
    return scenario(seed, random.nextInt(KINDS), hard, random);
  }

  /** One in which cache and batches cannot be told apart, whatever the load. */
  static Scenario collinear(long seed, boolean hard) {
    return scenario(seed, COLLINEAR, hard, new SplittableRandom(seed));
  }

  private static Scenario scenario(long seed, int kind, boolean hard, SplittableRandom random) {
    Duration onset = Duration.ofSeconds(random.nextInt(2 * 3600, 4 * 3600));
    Duration length = onset.plusMinutes(hard ? 60 : 90);
    double size = hard ? random.nextDouble(0.6, 1) : random.nextDouble(0.6, 1.6);
    Fault fault = fault(kind, onset, size);
    List<Fault> others = new ArrayList<>();
    if (hard || random.nextBoolean()) {
      double load = StrictMath.exp(random.nextDouble(StrictMath.log(0.7), StrictMath.log(1.5)));
      others.add(FaultLibrary.loadRises(onset, load));
    }
    if (hard || random.nextBoolean()) {
      double mix = StrictMath.exp(0.4 * random.nextGaussian());
      others.add(FaultLibrary.mixChanges(onset, random.nextInt(4), mix));
    }
    if (hard) {
      others.add(disturbed());
      others.add(FaultLibrary.frequentDeployEvents(Duration.ofMinutes(7), length));
    }
    return Scenario.of(SimulatorSettings.image(seed, length), fault, others.toArray(Fault[]::new));
  }

  private static Fault fault(int kind, Duration onset, double size) {
    return switch (kind) {
      case 0 -> FaultLibrary.cacheHitsLoseClip(onset, 0.02 * size);
      case 1 -> FaultLibrary.cacheOff(onset);
      case 2 -> FaultLibrary.batchMembersCostClip(onset, 0.006 * size);
      case 3 -> FaultLibrary.largeBatchesSlow(onset, 6, Math.min(1, 0.3 * size), 3);
      case 4 -> FaultLibrary.joinedMidwayLosesClip(onset, 0.02 * size);
      case 5 -> FaultLibrary.batchLimitRaised(onset, 6, 16, 0.006 * size);
      case 6 -> FaultLibrary.extraQueueing(onset, 0.25, 2.5 * size);
      case 7 -> FaultLibrary.requestsPutBack(onset, 0.12, 1 + 0.9 * size);
      case 8 -> FaultLibrary.nodeLosesClip(onset, 1, 0.04 * size);
      case 9 -> FaultLibrary.nodeSlows(onset, 1, 1 + 0.5 * size);
      case 10 -> FaultLibrary.nothingRecorded(onset, "clip", 0.012 * size);
      case 11 -> FaultLibrary.modelChanges(onset, "clip", 0.012 * size);
      case 12 -> FaultLibrary.scorerChanges(onset, "clip", 0.02 * size);
      case 13 -> FaultLibrary.mixChanges(onset, 3, 1 + 3 * size);
      default -> FaultLibrary.hitsAndLargeBatchesCoincide(onset, 0.03 * size);
    };
  }

  /** What is recorded wrongly, and a node that has always been worse: from the start on. */
  private static Fault disturbed() {
    return new Fault("disturbed", "records and machines as they are", Truth.SILENCE, Duration.ZERO)
        .andOutcomes(
            (r, random) -> {
              if (random.nextDouble() < WRONG_FLAGS) {
                r.tier = r.hit() ? ConditioningCache.Tier.MISS : ConditioningCache.Tier.DEVICE;
              }
              r.shift("clip", r.node() == 0 ? -NODE_OFFSET : 0);
            });
  }
}
