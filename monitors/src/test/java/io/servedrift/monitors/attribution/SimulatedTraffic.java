package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Traffic.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Synthetic traffic in which load confounds hits, batches and preemption, and prompt class
 * confounds hits, scores and latency. Each request draws from its own seed, so that the same
 * traffic with and without a fault differs by the fault alone. All effects are invented.
 */
final class SimulatedTraffic {
  static final int GROUPS = 4;
  static final int NODES = 6;

  private static final double[] MIX = {.4, .3, .2, .1};
  private static final double[] CLIP = {.31, .29, .33, .27};
  static final double[] SECONDS = {2, 3, 4, 8};
  private static final double[] HIT = {.40, .15, .05, .02};
  private static final double CLIP_SD = .03;

  private final long seed;
  private final double rate;

  /**
   * @param rate requests per minute at load 1
   */
  SimulatedTraffic(long seed, double rate) {
    this.seed = seed;
    this.rate = rate;
  }

  /** What is different from the reference; 1, 0 and false are as before. */
  static final class Fault {
    double load = 1;
    double[] mix = new double[GROUPS];
    double hits = 1;
    double batch = 1;
    double preemption = 1;
    boolean hitsAlwaysBatched;

    /** One request at a time, no cache: what ran before a migration. */
    boolean serial;

    double clipAll;
    double clipHit;
    double clipLargeBatch;
    double clipPreempted;
    double clipNode0;
    double clipGroup0;
    double clipHitInLargeBatch;
    double latencyAll;
    double latencyHit;
    double latencyLargeBatch;
    double latencyPreempted;
    double latencyNode0;

    /** The same traffic with healthy serving. */
    Fault trafficOnly() {
      Fault healthy = new Fault();
      healthy.load = load;
      healthy.mix = mix.clone();
      healthy.hitsAlwaysBatched = hitsAlwaysBatched;
      return healthy;
    }
  }

  /** Traffic of some minutes from a minute of the day on. */
  Traffic run(int from, int minutes, Fault fault) {
    List<Request> requests = new ArrayList<>();
    SplittableRandom noise = new SplittableRandom(seed ^ 0x5DEECE66DL * (from + 1));
    double loadNoise = .08 * noise.nextGaussian();
    double topic = .002 * noise.nextGaussian();
    double slow = .05 * noise.nextGaussian();
    double[] drift = new double[GROUPS];
    Arrays.setAll(drift, g -> .15 * noise.nextGaussian());
    for (int minute = 0; minute < minutes; minute++) {
      double day = 2 * Math.PI * (from + minute) / 1440;
      double load = (1 + .5 * Math.sin(day)) * Math.exp(loadNoise) * fault.load;
      double[] cumulative = mix(day, drift, fault);
      int arrivals = poisson(noise, rate * load);
      for (int i = 0; i < arrivals; i++) {
        SplittableRandom own = new SplittableRandom(noise.nextLong());
        requests.add(request(minute, load, cumulative, topic, slow, own, fault));
      }
      loadNoise = next(noise, loadNoise, .97, .08);
      topic = next(noise, topic, .95, .002);
      slow = next(noise, slow, .9, .05);
      for (int g = 0; g < GROUPS; g++) {
        drift[g] = next(noise, drift[g], .998, .15);
      }
    }
    return new Traffic(minutes, requests);
  }

  private static double next(SplittableRandom noise, double value, double rho, double sd) {
    return rho * value + sd * Math.sqrt(1 - rho * rho) * noise.nextGaussian();
  }

  private static double[] mix(double day, double[] drift, Fault fault) {
    double[] cumulative = new double[GROUPS];
    double sum = 0;
    for (int g = 0; g < GROUPS; g++) {
      double tide = .3 * Math.sin(day - .5) * (g % 2 == 0 ? 1 : -1);
      sum += MIX[g] * Math.exp(tide + drift[g] + fault.mix[g]);
      cumulative[g] = sum;
    }
    for (int g = 0; g < GROUPS; g++) {
      cumulative[g] /= sum;
    }
    return cumulative;
  }

  private static Request request(
      int minute,
      double load,
      double[] cumulative,
      double topic,
      double slow,
      SplittableRandom own,
      Fault fault) {
    double u = own.nextDouble();
    int group = 0;
    while (group < GROUPS - 1 && u >= cumulative[group]) {
      group++;
    }
    double warm = Math.max(.5, Math.min(1.2, 1.15 - .15 * load));
    boolean hit = own.nextDouble() < HIT[group] * warm * fault.hits && !fault.serial;
    int extra = own.nextInt(4);
    int batch = 1 + poisson(own, Math.max(.2, Math.min(14, 3 * Math.min(load, 2.5) * fault.batch)));
    batch = fault.serial ? 1 : Math.min(16, batch);
    if (fault.hitsAlwaysBatched) {
      batch = hit ? 8 + extra : Math.min(batch, 7);
    }
    double preempt = (.01 * load * load + (batch >= 8 ? .01 : 0)) * fault.preemption;
    boolean preempted = own.nextDouble() < Math.min(.5, preempt) && !fault.serial;
    int node = own.nextInt(NODES);
    double clip = CLIP[group] + topic + CLIP_SD * own.nextGaussian();
    double latency =
        Math.log(SECONDS[group])
            + .05 * (batch - 1)
            - (hit ? .35 : 0)
            + slow
            + .2 * own.nextGaussian();
    latency += preempted ? -.5 * Math.log(1 - own.nextDouble()) : 0;
    clip +=
        fault.clipAll
            + (hit ? fault.clipHit : 0)
            + (batch >= 8 ? fault.clipLargeBatch : 0)
            + (preempted ? fault.clipPreempted : 0)
            + (node == 0 ? fault.clipNode0 : 0)
            + (group == 0 ? fault.clipGroup0 : 0)
            + (hit && batch >= 4 ? fault.clipHitInLargeBatch : 0);
    latency +=
        fault.latencyAll
            + (hit ? fault.latencyHit : 0)
            + (batch >= 8 ? fault.latencyLargeBatch : 0)
            + (preempted ? fault.latencyPreempted : 0)
            + (node == 0 ? fault.latencyNode0 : 0);
    return new Request(minute, group, hit, batch, preempted, node, clip, latency);
  }

  private static int poisson(SplittableRandom random, double mean) {
    int count = 0;
    double time = -Math.log(1 - random.nextDouble());
    while (time < mean) {
      count++;
      time -= Math.log(1 - random.nextDouble());
    }
    return count;
  }
}
