package io.servedrift.monitors.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A deployment to simulate.
 *
 * @param seed of everything random
 * @param start first moment
 * @param length of the simulation
 * @param deployment name
 * @param nodes number of serving processes, {@code gpu-0} on
 * @param requestsPerSecond mean arrivals
 * @param diurnal amplitude of the daily load relative to its mean, 0 to 1
 * @param loadNoise standard deviation of the logarithm of the load, with half an hour's memory
 * @param classes prompt classes
 * @param scores scores of each finished request
 * @param lateScores share of the scores that come as events of their own, later
 * @param modality {@code image} or {@code text}
 * @param maxBatch largest batch of a node
 * @param cacheBytes conditioning cache of a node when nothing runs
 * @param hostCacheBytes second tier for what the first one evicts; 0: none
 * @param bytesPerRunning memory that each running request takes from the cache
 * @param stepSeconds one denoising step of a single request
 * @param memberCost what each further member adds to a step, relative to {@code stepSeconds}
 * @param encodeSeconds computing a conditioning that is not in the cache
 * @param preemptFrom running requests from which memory is short
 * @param preemptPerStep probability that a step under short memory puts the youngest request back
 * @param preemptedSeconds how long it stays out at least
 * @param errors share of requests that fail
 * @param phase where in the day it starts, 0 to 1 from the moment at which a rising load is at its
 *     mean; empty: drawn
 */
public record SimulatorSettings(
    long seed,
    Instant start,
    Duration length,
    String deployment,
    int nodes,
    double requestsPerSecond,
    double diurnal,
    double loadNoise,
    List<PromptClass> classes,
    List<ScoreLaw> scores,
    double lateScores,
    String modality,
    int maxBatch,
    long cacheBytes,
    long hostCacheBytes,
    long bytesPerRunning,
    double stepSeconds,
    double memberCost,
    double encodeSeconds,
    int preemptFrom,
    double preemptPerStep,
    double preemptedSeconds,
    double errors,
    OptionalDouble phase) {
  /** A Sunday midnight, so that a week of simulation is a week. */
  public static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  private static final long MIB = 1 << 20;

  /** The classes of image prompts: about a quarter of the requests finds its conditioning. */
  public static final List<PromptClass> IMAGE_CLASSES =
      List.of(
          new PromptClass("portrait", 0.4, 400, 1.1, 0.2, 28, 4 * MIB, 0.31, 0.25, 0),
          new PromptClass("product", 0.3, 3_000, 0.9, 0.5, 28, 4 * MIB, 0.29, -0.25, 0),
          new PromptClass("landscape", 0.2, 5_000, 0.5, 0.7, 20, 3 * MIB, 0.33, 0.1, 0),
          new PromptClass("typography", 0.1, 5_000, 0.3, 0.9, 50, 8 * MIB, 0.27, -0.2, 0));

  /** The classes of text prompts. */
  public static final List<PromptClass> TEXT_CLASSES =
      List.of(
          new PromptClass("chat", 0.4, 500, 1.0, 0.4, 24, 4 * MIB, 0.31, 0.25, 0.1),
          new PromptClass("extraction", 0.3, 800, 0.9, 0.4, 16, 6 * MIB, 0.33, -0.2, 0.6),
          new PromptClass("arithmetic", 0.2, 2_000, 0.5, 0.6, 20, 2 * MIB, 0.27, 0.1, 0.2),
          new PromptClass("code", 0.1, 2_000, 0.4, 0.7, 40, 8 * MIB, 0.29, -0.1, 0.2));

  private static final List<ScoreLaw> IMAGE_SCORES =
      List.of(
          new ScoreLaw("clip", 0.3, 0.03, 1, 0.002, 0),
          new ScoreLaw("aesthetic", 5.6, 0.5, 5, 0.02, 0));

  private static final List<ScoreLaw> TEXT_SCORES =
      List.of(
          new ScoreLaw("json_valid", 0.95, 0, 0, 0, 0.04),
          new ScoreLaw("accuracy", 0.8, 0, 2, 0, -0.05));

  public SimulatorSettings {
    classes = List.copyOf(classes);
    scores = List.copyOf(scores);
    if (nodes < 1
        || requestsPerSecond <= 0
        || diurnal < 0
        || diurnal > 1
        || maxBatch < 1
        || length.isNegative()
        || length.isZero()
        || classes.isEmpty()) {
      throw new IllegalArgumentException(
          "nodes="
              + nodes
              + " requestsPerSecond="
              + requestsPerSecond
              + " diurnal="
              + diurnal
              + " maxBatch="
              + maxBatch
              + " length="
              + length
              + " classes="
              + classes.size()
              + ": at least one node, class and batch member, load and length above 0, diurnal"
              + " 0..1");
    }
  }

  /** Image generation: three nodes, 4 requests/s, batches of up to 16. */
  public static SimulatorSettings image(long seed, Duration length) {
    return new SimulatorSettings(
        seed,
        START,
        length,
        "image-gen",
        3,
        4,
        0.5,
        0.08,
        IMAGE_CLASSES,
        IMAGE_SCORES,
        0.5,
        "image",
        16,
        2_048 * MIB,
        0,
        32 * MIB,
        0.06,
        0.12,
        0.05,
        8,
        0.03,
        0.5,
        0.002,
        OptionalDouble.empty());
  }

  /** Text generation with prefix tiers on device and host and scores of 0 or 1. */
  public static SimulatorSettings text(long seed, Duration length) {
    SimulatorSettings image = image(seed, length);
    Copy copy = new Copy(image);
    copy.deployment = "text-gen";
    copy.classes = TEXT_CLASSES;
    copy.scores = TEXT_SCORES;
    copy.modality = "text";
    copy.cacheBytes = 1_024 * MIB;
    copy.hostCacheBytes = 2_048 * MIB;
    return copy.settings();
  }

  /** The same with another mean load and another number of nodes. */
  public SimulatorSettings withLoad(double perSecond, int onNodes) {
    Copy copy = new Copy(this);
    copy.nodes = onNodes;
    copy.requestsPerSecond = perSecond;
    return copy.settings();
  }

  /** The same with a load that does not move over the day. */
  public SimulatorSettings steady() {
    Copy copy = new Copy(this);
    copy.diurnal = 0;
    copy.loadNoise = 0;
    return copy.settings();
  }

  /** The same where the scores of different requests have nothing in common. */
  public SimulatorSettings withoutCommonDrift() {
    Copy copy = new Copy(this);
    copy.scores = scores.stream().map(ScoreLaw::withoutTopic).toList();
    return copy.settings();
  }

  /** The same begun at another moment of the day, as {@link #phase}. */
  public SimulatorSettings startedAt(double partOfTheDay) {
    Copy copy = new Copy(this);
    copy.phase = OptionalDouble.of(partOfTheDay);
    return copy.settings();
  }

  /** The same with another amplitude of the daily load, 0 to 1. */
  public SimulatorSettings withDiurnal(double amplitude) {
    Copy copy = new Copy(this);
    copy.diurnal = amplitude;
    return copy.settings();
  }

  /** The same where each further member costs a batch another part of a step. */
  public SimulatorSettings withMemberCost(double cost) {
    Copy copy = new Copy(this);
    copy.memberCost = cost;
    return copy.settings();
  }

  /** The same with another cache per node, and memory that running requests take from it. */
  public SimulatorSettings withCache(long bytes, long perRunning) {
    Copy copy = new Copy(this);
    copy.cacheBytes = bytes;
    copy.bytesPerRunning = perRunning;
    return copy.settings();
  }

  /** A copy in which some parts are about to be another. Not thread-safe. */
  private static final class Copy {
    private long seed;
    private Instant start;
    private Duration length;
    private String deployment;
    private int nodes;
    private double requestsPerSecond;
    private double diurnal;
    private double loadNoise;
    private List<PromptClass> classes;
    private List<ScoreLaw> scores;
    private double lateScores;
    private String modality;
    private int maxBatch;
    private long cacheBytes;
    private long hostCacheBytes;
    private long bytesPerRunning;
    private double stepSeconds;
    private double memberCost;
    private double encodeSeconds;
    private int preemptFrom;
    private double preemptPerStep;
    private double preemptedSeconds;
    private double errors;
    private OptionalDouble phase;

    Copy(SimulatorSettings of) {
      seed = of.seed;
      start = of.start;
      length = of.length;
      deployment = of.deployment;
      nodes = of.nodes;
      requestsPerSecond = of.requestsPerSecond;
      diurnal = of.diurnal;
      loadNoise = of.loadNoise;
      classes = of.classes;
      scores = of.scores;
      lateScores = of.lateScores;
      modality = of.modality;
      maxBatch = of.maxBatch;
      cacheBytes = of.cacheBytes;
      hostCacheBytes = of.hostCacheBytes;
      bytesPerRunning = of.bytesPerRunning;
      stepSeconds = of.stepSeconds;
      memberCost = of.memberCost;
      encodeSeconds = of.encodeSeconds;
      preemptFrom = of.preemptFrom;
      preemptPerStep = of.preemptPerStep;
      preemptedSeconds = of.preemptedSeconds;
      errors = of.errors;
      phase = of.phase;
    }

    SimulatorSettings settings() {
      return new SimulatorSettings(
          seed,
          start,
          length,
          deployment,
          nodes,
          requestsPerSecond,
          diurnal,
          loadNoise,
          classes,
          scores,
          lateScores,
          modality,
          maxBatch,
          cacheBytes,
          hostCacheBytes,
          bytesPerRunning,
          stepSeconds,
          memberCost,
          encodeSeconds,
          preemptFrom,
          preemptPerStep,
          preemptedSeconds,
          errors,
          phase);
    }
  }
}
