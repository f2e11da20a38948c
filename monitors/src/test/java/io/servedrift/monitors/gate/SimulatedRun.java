package io.servedrift.monitors.gate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ConfigFingerprint;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Evidence of a run as two image endpoints would give it, drawn from a seed. A prompt has its own
 * level of CLIP (mean .31, sd .03); single answers repeat themselves, production ones differ by
 * batching noise; distances go with the noise; latencies are lognormal. Faults are switched on one
 * by one.
 */
final class SimulatedRun {
  static final double SCORE_SD = 0.03;
  private static final String CONFIG =
      "{\"runtime\":{\"name\":\"torch\",\"version\":\"2.5\"},\"precision\":{\"weights\":\"%s\"}}";

  private final SplittableRandom random;
  private final List<Answer> answers = new ArrayList<>();
  private final List<PairDistance> distances = new ArrayList<>();
  private @Nullable Double jsonValid;
  private double oldFloor;
  private final Map<Integer, Double> levels = new HashMap<>();

  /** The others are left out. */
  Set<Regime> regimes = EnumSet.allOf(Regime.class);

  int prompts = 300;
  int requests = 5000;
  int blocks = 8;
  double batchNoise = 0.004;

  /** Added to scores of the new side at batch 1 and in production: numerics. */
  double singleShift;

  /** Its spread from prompt to prompt. */
  double singleNoise = 0.0005;

  /** Added in production only: batching. */
  double batchShift;

  /** Added under reuse: the cache. */
  double reuseShift;

  /** Added in the second run of old production: an old side that does not repeat itself. */
  double controlShift;

  /** Distance (1 - cosine) of new from old at batch 1. */
  double singleDistance = 0.0003;

  double batchDistance = 0.001;

  /** The same of old production from itself: the floor. */
  double floorDistance = 0.001;

  /** The same of new production from itself. */
  double newFloorDistance = 0.001;

  /**
   * When above 0: distances of new from old make exactly this ratio to the floor's, in the mean.
   */
  double singleRatio;

  /** Share of reused outputs that belong to another prompt. */
  double staleShare;

  /** What such an output loses in CLIP. */
  double staleLoss = 0.1;

  /** Factor of the new side's latencies. */
  double slower = 1;

  double latencySd = 0.3;

  /** Standard deviation of the logarithm of what all latencies of a block share. */
  double blockSd;

  /** Share of answers with valid JSON; 0: the score does not exist. */
  double json;

  /** Share of answers whose JSON is valid on the old side and not on the new one. */
  double jsonLost;

  /** The other way round. */
  double jsonWon;

  /** Standard deviation of the logarithm of distances. */
  double distanceSd = 0.5;

  double newErrors;
  double oldErrors;
  boolean rollback = true;
  boolean rollbackEnds = true;
  int lost;
  boolean newBatches = true;
  boolean newCaches = true;
  boolean seeds = true;
  boolean recorded = true;
  boolean ended = true;
  String newPrecision = "bf16";
  @Nullable String oldWeights = "sha256:aa";
  @Nullable String newWeights = "sha256:aa";

  SimulatedRun(long seed) {
    random = new SplittableRandom(seed);
  }

  /** A policy for runs of this size. */
  static GatePolicy policy() {
    return GatePolicy.parse("load: {levels: 1, warm_up: 0s}", "test");
  }

  Evidence evidence() {
    for (int prompt = 0; prompt < prompts; prompt++) {
      levels.put(prompt, 0.31 + SCORE_SD * random.nextGaussian());
      paired(prompt);
    }
    load(Side.OLD, 1);
    load(Side.NEW, slower);
    if (rollback) {
      for (int i = 0; i < 40; i++) {
        add(
            Arm.old(Regime.AFTER_FLIP),
            i % Math.max(1, prompts),
            0,
            null,
            0.3,
            latency(1),
            false,
            1.0);
      }
    }
    EndpointFacts older = facts(Side.OLD, "bf16", oldWeights, true, true, true);
    EndpointFacts newer =
        facts(Side.NEW, newPrecision, newWeights, newBatches, newCaches, recorded);
    RollbackEvidence back =
        new RollbackEvidence(
            rollback,
            "url switch",
            older,
            rollbackEnds ? older : newer,
            8,
            lost,
            rollback ? List.of() : List.of("no flip command was given"));
    return new Evidence(
        Modality.IMAGE,
        older,
        newer,
        ended ? older : null,
        ended ? newer : null,
        new RunSettings(
            "run", "2026-11-30T10:00:00Z", 1, prompts, 8, 5.0, List.of(1.0), blocks, 600, 0, null),
        answers,
        distances,
        back,
        null,
        Readiness.notLookedAt());
  }

  private void paired(int prompt) {
    double level = levels.get(prompt);
    Double oldJson = json > 0 ? Double.valueOf(random.nextDouble() < json ? 1 : 0) : null;
    double turn = random.nextDouble();
    Double newJson =
        oldJson == null
            ? null
            : oldJson == 1 && turn < jsonLost / json
                ? Double.valueOf(0)
                : oldJson == 0 && turn < jsonWon / (1 - json) ? Double.valueOf(1) : oldJson;
    for (Side side : Side.values()) {
      boolean newer = side == Side.NEW;
      jsonValid = newer ? newJson : oldJson;
      double single = level + (newer ? singleShift + singleNoise * random.nextGaussian() : 0);
      double served = single + (newer ? batchShift : 0);
      score(side, Regime.SINGLE, prompt, single, 1);
      score(side, Regime.SINGLE_AGAIN, prompt, single, 1);
      score(side, Regime.PRODUCTION, prompt, served + noise(), 6);
      score(
          side, Regime.PRODUCTION_AGAIN, prompt, served + noise() + (newer ? 0 : controlShift), 6);
      boolean stale = newer && random.nextDouble() < staleShare;
      score(side, Regime.RECOMPUTE, prompt, single, 1);
      score(side, Regime.RECOMPUTE_AGAIN, prompt, single, 1);
      score(
          side,
          Regime.REUSE,
          prompt,
          single + (newer ? reuseShift : 0) - (stale ? staleLoss : 0),
          1);
      same(ArmPair.within(side, Regime.SINGLE, Regime.SINGLE_AGAIN), prompt);
      same(ArmPair.within(side, Regime.RECOMPUTE, Regime.RECOMPUTE_AGAIN), prompt);
      if (stale) {
        distance(ArmPair.within(side, Regime.RECOMPUTE, Regime.REUSE), prompt, 0.3);
      } else {
        same(ArmPair.within(side, Regime.RECOMPUTE, Regime.REUSE), prompt);
      }
      double floor =
          distance(
              ArmPair.within(side, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN),
              prompt,
              newer ? newFloorDistance : floorDistance);
      oldFloor = newer ? oldFloor : floor;
      distance(
          ArmPair.within(side, Regime.SINGLE, Regime.PRODUCTION),
          prompt,
          newer ? batchDistance : 0.001);
    }
    if (singleRatio > 0) {
      // ln of the ratio is normal with mean ln(singleRatio), with the least distance included.
      double least = DistanceKind.COSINE.least();
      double ratio = singleRatio * Math.exp(distanceSd * random.nextGaussian());
      double cosine = 1 - ((oldFloor + least) * ratio - least);
      distances.add(
          new PairDistance(
              ArmPair.across(Regime.SINGLE), prompt, 7, false, 35.0, 0.95, cosine, null, null));
    } else {
      distance(ArmPair.across(Regime.SINGLE), prompt, singleDistance);
    }
  }

  private double noise() {
    return batchNoise * random.nextGaussian();
  }

  private void score(Side side, Regime regime, int prompt, double score, double batch) {
    add(new Arm(side, regime), prompt, 0, null, score, latency(1), fails(side), batch);
  }

  private boolean fails(Side side) {
    return random.nextDouble() < (side == Side.NEW ? newErrors : oldErrors);
  }

  private void load(Side side, double factor) {
    jsonValid = null;
    double[] shared = random.doubles(blocks).map(u -> blockSd * random.nextGaussian()).toArray();
    for (int i = 0; i < requests; i++) {
      add(
          new Arm(side, Regime.OPEN_LOOP),
          i % Math.max(1, prompts),
          i * blocks / requests,
          1.0,
          0.31,
          latency(factor) * Math.exp(shared[i * blocks / requests]),
          fails(side),
          6);
    }
  }

  private double latency(double factor) {
    return factor * Math.exp(latencySd * random.nextGaussian());
  }

  private void add(
      Arm arm,
      int prompt,
      int block,
      @Nullable Double load,
      double score,
      double latency,
      boolean error,
      double batch) {
    if (!regimes.contains(arm.regime())) {
      return;
    }
    long at = 1_000_000_000L + answers.size() * 1000L;
    answers.add(
        new Answer(
            arm,
            block,
            load,
            new Answer.Prompt(prompt, null, prompt % 3 == 0 ? "portrait" : "landscape", 7),
            error ? AnswerStatus.ERROR : AnswerStatus.OK,
            error ? "http_500" : null,
            new Answer.Timing(at, at, latency, latency, null),
            null,
            error ? Map.of() : scores(score),
            error ? Map.of() : Map.of("clip", "clip@1"),
            new Answer.Served(batch, arm.regime() == Regime.REUSE, 0.5, (int) batch)));
  }

  private Map<String, Double> scores(double clip) {
    return jsonValid == null ? Map.of("clip", clip) : Map.of("clip", clip, "json_valid", jsonValid);
  }

  private void same(ArmPair pair, int prompt) {
    keep(new PairDistance(pair, prompt, 7, true, null, null, null, null, null));
  }

  private double distance(ArmPair pair, int prompt, double median) {
    double distance = median * Math.exp(distanceSd * random.nextGaussian());
    double cosine = 1 - distance;
    keep(new PairDistance(pair, prompt, 7, false, 35.0, 0.95, cosine, null, null));
    return distance;
  }

  private void keep(PairDistance distance) {
    if (regimes.contains(distance.pair().left().regime())
        && regimes.contains(distance.pair().right().regime())) {
      distances.add(distance);
    }
  }

  private EndpointFacts facts(
      Side side,
      String precision,
      @Nullable String weights,
      boolean batches,
      boolean caches,
      boolean recorded) {
    JsonNode config = json(CONFIG.formatted(precision));
    JsonNode model =
        weights == null ? null : json("{\"name\":\"m\",\"weights_digest\":\"" + weights + "\"}");
    return new EndpointFacts(
        side,
        "http://127.0.0.1:1",
        recorded ? ConfigFingerprint.ofConfig(config).id() : null,
        recorded ? config : null,
        model == null ? null : ConfigFingerprint.ofModel(model).id(),
        model,
        new EndpointProfile(Modality.IMAGE, batches, caches, seeds, true, true, true, true, 1),
        recorded ? List.of() : List.of("GET /server_info answered 404"));
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
