package io.servedrift.monitors.testkit;

import static java.time.Duration.ZERO;

import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What goes wrong in serving, and what only looks like it. Each fault names the incidents that it
 * imitates by pattern: A batch composition, B cache, C configuration and precision, D latency tail,
 * E negative controls. Effect sizes are parameters where the figures depend on them. Pure.
 */
public final class FaultLibrary {
  private static final String CLIP = "clip";
  private static final String ACCURACY = "accuracy";
  private static final String JSON_VALID = "json_valid";
  private static final String TEXT_ENCODE = "stage:text_encode";
  private static final String LATENCY = "latency";

  /** The configuration that scenarios start with. */
  public static final String CONFIG =
      """
      {"runtime":{"name":"sglang-diffusion","version":"0.5.7"},
       "precision":{"weights":"bf16","activations":"bf16"},
       "constrained_decoding":{"mode":"auto"},
       "batching":{"mode":"continuous","max_batch_size":16},
       "cache":{"conditioning":"lru"}}
      """;

  /** The single-request pipeline of the migration. */
  public static final String SERIAL_CONFIG =
      """
      {"runtime":{"name":"diffusers","version":"0.35.1"},
       "precision":{"weights":"bf16","activations":"bf16"},
       "constrained_decoding":{"mode":"auto"},
       "batching":{"mode":"none","max_batch_size":1},
       "cache":{"conditioning":"off"}}
      """;

  /** The model that scenarios start with. */
  public static final String MODEL =
      """
      {"name":"flux-dev","revision":"r1","weights_digest":"sha256:5d3f9a6c0b7e1842"}
      """;

  private FaultLibrary() {}

  /** Not a fault: the configuration and model that are served from the start. */
  public static Fault baseline() {
    return new Fault("baseline", "start of every scenario", Truth.SILENCE, ZERO)
        .and(s -> s.configure(ZERO, CONFIG, MODEL));
  }

  // ---- A: batch composition -----------------------------------------------------------------

  /** Scores fall with every further member of the batch. */
  public static Fault batchMembersCostClip(Duration onset, double perMember) {
    Truth truth = Truth.worse(CauseLabel.BATCHING, Map.of("batch", "8-15"), CLIP);
    return new Fault(
            "batch members cost CLIP", "A1, A11: position ids shared in a batch", truth, onset)
        .andOutcomes((r, random) -> r.shift(CLIP, -perMember * (r.batch() - 1)));
  }

  /** Requests that others joined while they ran get worse. */
  public static Fault joinedMidwayLosesClip(Duration onset, double loss) {
    Truth truth = Truth.worse(CauseLabel.BATCHING, Map.of("composition", "joined"), CLIP);
    return new Fault(
            "joined midway", "A3, A6: rows move when the batch is recomposed", truth, onset)
        .andOutcomes((r, random) -> r.shift(CLIP, r.joinedByOthers() ? -loss : 0));
  }

  /** Requests that share a batch with two or more adapters get worse. */
  public static Fault mixedAdaptersLoseClip(Duration onset, double loss) {
    Truth truth = Truth.worse(CauseLabel.BATCHING, Map.of("adapters", "mixed"), CLIP);
    return new Fault("mixed adapters", "A5: adapters leak inside a batch", truth, onset)
        .andOutcomes((r, random) -> r.shift(CLIP, r.neighbourAdapters() > 1 ? -loss : 0));
  }

  /** Some requests in large batches take a multiple of their time. */
  public static Fault largeBatchesSlow(Duration onset, int from, double share, double factor) {
    Truth truth = Truth.worse(CauseLabel.BATCHING, Map.of("batch", "8-15"), LATENCY, "inference");
    return new Fault("large batches slow", "A2, D4: beyond the captured graph sizes", truth, onset)
        .andOutcomes(
            (r, random) -> {
              if (r.batch() >= from && random.nextDouble() < share) {
                r.slowDown(factor);
              }
            });
  }

  /** The batch limit rises in a runtime whose scores have always fallen with the batch. */
  public static Fault batchLimitRaised(Duration onset, int from, int to, double perMember) {
    Truth truth =
        Truth.worse(CauseLabel.BATCHING, Map.of("batch", "8-15"), CLIP, LATENCY).byExposure();
    return new Fault("batch limit raised", "A1, D8: more requests in batches", truth, onset)
        .and(
            s -> {
              s.at(ZERO, f -> f.maxBatch = from);
              s.at(onset, f -> f.maxBatch = to);
              s.report(
                  onset,
                  ServingEventKind.BATCH_LIMIT_CHANGED,
                  -1,
                  Map.of("from", Integer.toString(from), "to", Integer.toString(to)));
              s.onFinish(
                  ZERO, Fault.FOR_EVER, (r, random) -> r.shift(CLIP, -perMember * (r.batch() - 1)));
            });
  }

  // ---- B: cache -----------------------------------------------------------------------------

  /** Requests that reuse a conditioning get worse. */
  public static Fault cacheHitsLoseClip(Duration onset, double loss) {
    return cacheHitsLose(onset, CLIP, loss);
  }

  /** Requests that hit the cache get worse in a score. */
  public static Fault cacheHitsLose(Duration onset, String score, double loss) {
    Truth truth = Truth.worse(CauseLabel.CACHE, Map.of("cache", "hit"), score);
    return new Fault(
            "cache hits lose " + score,
            "B4, B7, B8, B9: reuse differs from recompute",
            truth,
            onset)
        .and(
            s -> s.report(onset, ServingEventKind.CACHE_POLICY_CHANGED, -1, Map.of("policy", "v2")))
        .andOutcomes((r, random) -> r.shift(score, r.hit() ? -loss : 0));
  }

  /** Only hits in the second tier get worse. */
  public static Fault hostTierLoses(Duration onset, String score, double loss) {
    Truth truth = Truth.worse(CauseLabel.CACHE, Map.of("prefix_tier", "host"), score);
    return new Fault("host tier loses " + score, "B1, B2, B3: wrong after load-back", truth, onset)
        .andOutcomes((r, random) -> r.shift(score, r.hostHit() ? -loss : 0));
  }

  /** Entries made before an adapter was loaded again are wrong until they are gone. */
  public static Fault staleEntries(Duration onset, double loss) {
    Truth truth = Truth.worse(CauseLabel.CACHE, Map.of("cache", "hit"), CLIP);
    return new Fault(
            "stale entries", "B6, B10, B11: keys that omit what changed; fades out", truth, onset)
        .and(
            s -> {
              long changed = s.micros(onset);
              s.report(onset, ServingEventKind.ADAPTER_LOADED, -1, Map.of("adapter", "style-1"));
              s.onFinish(
                  onset,
                  Fault.FOR_EVER,
                  (r, random) ->
                      r.shift(
                          CLIP,
                          r.hit() && r.startedMicros - r.entryAgeMicros < changed ? -loss : 0));
            });
  }

  /** The cache is off: every conditioning is computed again, and takes its time. */
  public static Fault cacheOff(Duration onset) {
    Truth truth =
        Truth.worse(CauseLabel.CACHE, Map.of("cache", "miss"), LATENCY, "inference", TEXT_ENCODE)
            .byExposure();
    return new Fault("cache off", "B12, B15, D7: hits are gone, outputs stay", truth, onset)
        .and(
            s -> {
              s.at(onset, f -> f.cacheOn = false);
              s.report(onset, ServingEventKind.CACHE_POLICY_CHANGED, -1, Map.of("policy", "off"));
            });
  }

  /** Load fills the memory, the cache evicts, and what is computed again was always worse. */
  public static Fault loadEvicts(Duration onset, double load, double loss) {
    Truth truth =
        Truth.worse(CauseLabel.CACHE, Map.of("cache", "miss"), CLIP)
            .byExposure()
            .with(CauseLabel.LOAD);
    return new Fault("load evicts", "B: exposure through load", truth, onset)
        .and(
            s -> {
              s.at(onset, f -> f.load *= load);
              s.report(onset.plusSeconds(90), ServingEventKind.CACHE_EVICTIONS, -1, Map.of());
              s.onFinish(ZERO, Fault.FOR_EVER, (r, random) -> r.shift(CLIP, r.hit() ? 0 : -loss));
            });
  }

  /**
   * A scheduler that groups what it finds in the cache: every hit runs in a large batch and nothing
   * else does, from the start on. When they get worse nobody can tell which of the two it is. Hits
   * are as frequent as ever, at any load.
   */
  public static Fault hitsAndLargeBatchesCoincide(Duration onset, double loss) {
    Truth truth =
        new Truth(
            CauseLabel.INCONCLUSIVE,
            Set.of(),
            Set.of(CauseLabel.CACHE, CauseLabel.BATCHING),
            Mechanism.EFFECT,
            Map.of(),
            Set.of(CLIP),
            "worse",
            true);
    return new Fault("hits coincide with batches", "collinear covariates", truth, onset)
        .and(
            s -> {
              s.onFinish(
                  ZERO,
                  Fault.FOR_EVER,
                  (r, random) ->
                      r.regroup(
                          r.hit()
                              ? Math.max(r.batch(), 8 + random.nextInt(4))
                              : Math.min(r.batch(), 7)));
              s.onFinish(onset, Fault.FOR_EVER, (r, random) -> r.shift(CLIP, r.hit() ? -loss : 0));
            });
  }

  // ---- C: configuration, precision, model, scorer -------------------------------------------

  /** INT4 weights hurt one class only. */
  public static Fault int4HurtsArithmetic(Duration onset, double loss) {
    Truth truth =
        Truth.worse(CauseLabel.CONFIG_CHANGE, Map.of("prompt_class", "arithmetic"), ACCURACY);
    return new Fault("INT4 hurts arithmetic", "C2, C4: only some prompts suffer", truth, onset)
        .and(
            s ->
                s.configure(
                    onset, CONFIG.replace("\"weights\":\"bf16\"", "\"weights\":\"int4\""), null))
        .andOutcomes(
            (r, random) -> r.shift(ACCURACY, r.className().equals("arithmetic") ? -loss : 0));
  }

  /** Another precision hurts every request alike. */
  public static Fault precisionHurtsAll(Duration onset, String score, double loss) {
    Truth truth = Truth.worse(CauseLabel.CONFIG_CHANGE, Map.of(), score);
    return new Fault("FP8 hurts all", "C1, C3, C9: step at a configuration", truth, onset)
        .and(
            s ->
                s.configure(
                    onset, CONFIG.replace("\"weights\":\"bf16\"", "\"weights\":\"fp8\""), null))
        .andOutcomes((r, random) -> r.shift(score, -loss));
  }

  /** A constraint for all: more outputs pass, fewer are right. */
  public static Fault constraintIntroduced(Duration onset) {
    Truth truth =
        Truth.worse(CauseLabel.CONFIG_CHANGE, Map.of("constrained", "json"), ACCURACY)
            .or(CauseLabel.TRAFFIC_MIX)
            .byExposure();
    return new Fault("constraint for all", "C11: pass rate up, accuracy down", truth, onset)
        .and(
            s -> {
              s.configure(onset, CONFIG.replace("\"mode\":\"auto\"", "\"mode\":\"json\""), null);
              s.at(onset, f -> f.constrained = 1_000);
            });
  }

  /** More callers ask for constrained outputs: nothing in serving changed. */
  public static Fault constrainedShareChanges(Duration onset, double factor) {
    Truth truth =
        Truth.worse(CauseLabel.TRAFFIC_MIX, Map.of("constrained", "json"), ACCURACY, JSON_VALID)
            .byExposure()
            .infoOnly();
    return new Fault("constrained share", "traffic: another share of constraints", truth, onset)
        .and(s -> s.at(onset, f -> f.constrained = factor));
  }

  /** Another model revision, and the clean path moves too. */
  public static Fault modelChanges(Duration onset, String score, double loss) {
    Truth truth = Truth.worse(CauseLabel.MODEL, Map.of(), score);
    return new Fault("model change", "another revision", truth, onset)
        .and(s -> s.configure(onset, null, MODEL.replace("r1", "r2").replace("5d3f", "77aa")))
        .andOutcomes((r, random) -> r.shift(score, -loss));
  }

  /** All requests get worse and nothing that is recorded changed. */
  public static Fault nothingRecorded(Duration onset, String score, double loss) {
    Truth truth = Truth.worse(CauseLabel.UNEXPLAINED, Map.of(), score);
    return new Fault("nothing recorded", "C7: a cause that no one records", truth, onset)
        .andOutcomes((r, random) -> r.shift(score, -loss));
  }

  /** Every merge and unmerge of an adapter leaves a little behind. */
  public static Fault adapterMergesDrift(
      Duration onset, Duration every, int merges, double lossPerMerge) {
    Truth truth = Truth.worse(CauseLabel.UNEXPLAINED, Map.of(), CLIP).or(CauseLabel.CONFIG_CHANGE);
    Fault fault = new Fault("adapter merges drift", "C5: slow trend with each merge", truth, onset);
    for (int i = 0; i < merges; i++) {
      Duration at = onset.plus(every.multipliedBy(i));
      fault =
          fault.and(
              s -> {
                s.report(at, ServingEventKind.ADAPTER_MERGED, -1, Map.of("adapter", "style-1"));
                s.onFinish(at, Fault.FOR_EVER, (r, random) -> r.shift(CLIP, -lossPerMerge));
              });
    }
    return fault;
  }

  /** Rarely, an output runs away: slow and not valid at once. */
  public static Fault runawayOutputs(Duration onset, double share) {
    Truth truth = Truth.worse(CauseLabel.UNEXPLAINED, Map.of(), LATENCY, JSON_VALID);
    return new Fault("runaway outputs", "C12: one in thirty, slow and cut", truth, onset)
        .andOutcomes(
            (r, random) -> {
              if (random.nextDouble() < share) {
                r.slowDown(9);
                r.shift(JSON_VALID, -1);
              }
            });
  }

  /** Another scorer reads the same outputs differently. */
  public static Fault scorerChanges(Duration onset, String score, double by) {
    Truth truth =
        new Truth(
            CauseLabel.SCORER_CHANGE,
            Set.of(CauseLabel.SILENCE),
            Set.of(),
            Mechanism.EFFECT,
            Map.of(),
            Set.of(score),
            "changed",
            false);
    return new Fault("scorer change", "the ruler moves, not the output", truth, onset)
        .and(s -> s.at(onset, f -> f.scorer = "scorer@2"))
        .andOutcomes((r, random) -> r.shift(score, by));
  }

  // ---- D: scheduling, nodes, load -----------------------------------------------------------

  /** Steps wait for another's turn. */
  public static Fault stepsStall(Duration onset, double share, double seconds) {
    Truth truth = Truth.worse(CauseLabel.SCHEDULING, Map.of(), LATENCY, "inference");
    return new Fault("steps stall", "D1: interleaved steps wait for a long one", truth, onset)
        .and(
            s -> {
              s.report(
                  onset, ServingEventKind.SCHEDULER_CHANGED, -1, Map.of("policy", "interleave"));
              s.at(
                  onset,
                  f -> {
                    f.stalls = share;
                    f.stallSeconds = seconds;
                  });
            });
  }

  /** Some requests wait longer before their first step. */
  public static Fault extraQueueing(Duration onset, double share, double meanSeconds) {
    Truth truth =
        Truth.worse(CauseLabel.SCHEDULING, Map.of("queue_share", "25-50%"), LATENCY, "queue");
    return new Fault("extra queueing", "D1, D5: waiting, not computing", truth, onset)
        .andOutcomes(
            (r, random) -> {
              if (random.nextDouble() < share) {
                r.delay(meanSeconds * random.nextExponential());
              }
            });
  }

  /** More requests are put back, and each pays for it. */
  public static Fault preemptionPressure(Duration onset, double times, double factor) {
    Truth truth =
        Truth.worse(CauseLabel.SCHEDULING, Map.of("preempted", "yes"), LATENCY, "inference");
    return new Fault("preemption pressure", "D2, D3: thrash under memory pressure", truth, onset)
        .and(
            s -> {
              s.report(onset, ServingEventKind.PREEMPTION_PRESSURE, -1, Map.of());
              s.at(onset, f -> f.preemption = times);
            })
        .andOutcomes(
            (r, random) -> {
              if (r.preempted()) {
                r.slowDown(factor);
              }
            });
  }

  /** A share of the requests is put back, whatever the load, and each pays for it. */
  public static Fault requestsPutBack(Duration onset, double share, double factor) {
    Truth truth =
        Truth.worse(CauseLabel.SCHEDULING, Map.of("preempted", "yes"), LATENCY, "inference");
    return new Fault("requests put back", "D2, D3: thrash under memory pressure", truth, onset)
        .and(s -> s.report(onset, ServingEventKind.PREEMPTION_PRESSURE, -1, Map.of()))
        .andOutcomes(
            (r, random) -> {
              if (random.nextDouble() < share) {
                r.preemptions = Math.max(1, r.preemptions);
                r.slowDown(factor);
              }
            });
  }

  /** One node's outputs get worse. */
  public static Fault nodeLosesClip(Duration onset, int node, double loss) {
    Truth truth = Truth.worse(CauseLabel.NODE, Map.of("node", "gpu-" + node), CLIP);
    return new Fault("node loses CLIP", "A7, C6: one machine differs", truth, onset)
        .andOutcomes((r, random) -> r.shift(CLIP, r.node() == node ? -loss : 0));
  }

  /** One node computes slower; its queue and batches grow, as they would. */
  public static Fault nodeSlows(Duration onset, int node, double factor) {
    Truth truth =
        Truth.worse(
            CauseLabel.NODE, Map.of("node", "gpu-" + node), LATENCY, "inference", TEXT_ENCODE);
    return new Fault("node slows", "D: throttled hardware", truth, onset)
        .and(s -> s.at(onset, f -> f.slowness[node] *= factor));
  }

  /** One node fails a share of its requests. */
  public static Fault nodeFails(Duration onset, int node, double share) {
    Truth truth = Truth.worse(CauseLabel.NODE, Map.of("node", "gpu-" + node), "error_ratio");
    return new Fault("node fails", "B13: errors of one process", truth, onset)
        .andOutcomes(
            (r, random) -> {
              if (r.node() == node && random.nextDouble() < share) {
                r.fail();
              }
            });
  }

  /** More requests of the same kind: slower, and nothing is wrong. */
  public static Fault loadRises(Duration onset, double factor) {
    Truth truth =
        Truth.worse(CauseLabel.LOAD, Map.of(), LATENCY, "queue", "inference")
            .byExposure()
            .or(CauseLabel.SILENCE)
            .infoOnly();
    return new Fault("load rises", "traffic: more of the same", truth, onset)
        .and(s -> s.at(onset, f -> f.load *= factor));
  }

  /** Other prompts: scores and latencies move, and nothing is wrong. */
  public static Fault mixChanges(Duration onset, int classIndex, double factor) {
    Truth truth =
        Truth.worse(CauseLabel.TRAFFIC_MIX, Map.of(), CLIP, "aesthetic", ACCURACY, LATENCY)
            .byExposure()
            .or(CauseLabel.SILENCE)
            .infoOnly();
    return new Fault("mix changes", "traffic: other prompts", truth, onset)
        .and(s -> s.at(onset, f -> f.classShare[classIndex] = factor));
  }

  // ---- E: negative controls -----------------------------------------------------------------

  /** A cache that is emptied all the time, from the start on. */
  public static Fault frequentFlushes(Duration every, Duration until) {
    Fault fault = new Fault("frequent flushes", "E: an event near everything", Truth.SILENCE, ZERO);
    for (Duration at = every; at.compareTo(until) < 0; at = at.plus(every)) {
      Duration when = at;
      fault = fault.and(s -> s.flush(when, "schedule"));
    }
    return fault;
  }

  /** One user asks many times for one thing. */
  public static Fault oneUserBurst(Duration onset, Duration over, int count, int classIndex) {
    return new Fault("one-user burst", "E: many alike requests", Truth.SILENCE, onset)
        .and(s -> s.burst(onset, over, count, classIndex));
  }

  /** Every output has other bits than before, at the same scores. */
  public static Fault otherBits(Duration onset) {
    return new Fault("other bits", "E1-E4: parity breaks, quality stays", Truth.SILENCE, onset)
        .and(
            s ->
                s.at(
                    onset,
                    f -> {
                      f.outputSalt = 1;
                      f.outputDependsOnBatch = true;
                    }));
  }

  /** No traffic for a while. */
  public static Fault gap(Duration onset, Duration length) {
    return new Fault("gap", "E: nothing for hours", Truth.SILENCE, onset)
        .and(
            s -> {
              s.at(onset, f -> f.load = 0);
              s.at(onset.plus(length), f -> f.load = 1);
            });
  }

  /** Every node restarts, one after the other, and starts with an empty cache. */
  public static Fault rollingRestart(Duration onset, int nodes, Duration down) {
    Fault fault = new Fault("rolling restart", "E: a deploy of the same", Truth.SILENCE, onset);
    for (int i = 0; i < nodes; i++) {
      int node = i;
      Duration at = onset.plus(down.multipliedBy(2L * i));
      fault = fault.and(s -> s.restart(node, at, down));
    }
    return fault;
  }

  /** A few requests take very long. */
  public static Fault outliers(Duration onset, int count, double seconds) {
    return new Fault("outliers", "E: a few and no more", Truth.SILENCE, onset)
        .and(
            s -> {
              int[] left = {count};
              s.onFinish(
                  onset,
                  Fault.FOR_EVER,
                  (r, random) -> {
                    if (left[0] > 0) {
                      left[0]--;
                      r.delay(seconds);
                    }
                  });
            });
  }

  /** Events that mean nothing, from the start on. */
  public static Fault frequentDeployEvents(Duration every, Duration until) {
    Fault fault = new Fault("frequent deploys", "E: events without effect", Truth.SILENCE, ZERO);
    for (Duration at = every; at.compareTo(until) < 0; at = at.plus(every)) {
      Duration when = at;
      fault = fault.and(s -> s.report(when, ServingEventKind.DEPLOY, -1, Map.of("ref", "same")));
    }
    return fault;
  }

  // ---- the migration ------------------------------------------------------------------------

  /**
   * A single-request pipeline without cache on all nodes is replaced by a batching, caching runtime
   * on fewer nodes at three times the load, with the same weights. The mean latency falls, its tail
   * rises when it is busy, and two classes lose CLIP on hits in large batches.
   *
   * @param nodes that remain
   * @param speedup how many times faster the new runtime computes one step
   * @param loss CLIP that hits in batches of 8 and more lose, in two classes
   */
  public static Fault migration(Duration onset, int nodes, double speedup, double loss) {
    Truth truth =
        Truth.worse(CauseLabel.CACHE, Map.of("cache", "hit", "batch", "8-15"), CLIP)
            .with(CauseLabel.BATCHING);
    List<String> losers = List.of("portrait", "product");
    return new Fault("migration", "C9, A1, B11: another runtime, same weights", truth, onset)
        .and(
            s -> {
              int[] limit = new int[1];
              s.configure(ZERO, SERIAL_CONFIG, MODEL);
              s.at(
                  ZERO,
                  f -> {
                    limit[0] = f.maxBatch;
                    f.maxBatch = 1;
                    f.cacheOn = false;
                  });
              s.configure(onset, CONFIG, null);
              s.report(onset, ServingEventKind.DEPLOY, -1, Map.of("ref", "batching runtime"));
              s.at(
                  onset,
                  f -> {
                    f.maxBatch = limit[0];
                    f.cacheOn = true;
                    f.activeNodes = nodes;
                    f.load *= 3;
                    for (int i = 0; i < f.slowness.length; i++) {
                      f.slowness[i] /= speedup;
                    }
                  });
            })
        .andOutcomes(
            (r, random) ->
                r.shift(
                    CLIP, r.hit() && r.batch() >= 8 && losers.contains(r.className()) ? -loss : 0));
  }

  /**
   * One of each fault on image traffic at the same onset, in the sizes of the figures for young
   * baselines where there are such, and every negative control.
   */
  public static List<Fault> onImages(Duration onset, Duration end) {
    return List.of(
        batchMembersCostClip(onset, 0.006),
        joinedMidwayLosesClip(onset, 0.02),
        mixedAdaptersLoseClip(onset, 0.03),
        largeBatchesSlow(onset, 6, 0.3, 3),
        batchLimitRaised(onset, 4, 16, 0.006),
        cacheHitsLoseClip(onset, 0.02),
        staleEntries(onset, 0.04),
        cacheOff(onset),
        loadEvicts(onset, 2, 0.02),
        hitsAndLargeBatchesCoincide(onset, 0.03),
        precisionHurtsAll(onset, CLIP, 0.01),
        modelChanges(onset, CLIP, 0.01),
        nothingRecorded(onset, CLIP, 0.01),
        adapterMergesDrift(onset, Duration.ofMinutes(10), 12, 0.001),
        scorerChanges(onset, CLIP, 0.02),
        stepsStall(onset, 0.03, 1),
        extraQueueing(onset, 0.25, 2.5),
        preemptionPressure(onset, 15, 1.9),
        nodeLosesClip(onset, 1, 0.04),
        nodeSlows(onset, 1, 1.5),
        nodeFails(onset, 1, 0.05),
        loadRises(onset, 1.5),
        mixChanges(onset, 3, 4),
        frequentFlushes(Duration.ofMinutes(2), end),
        oneUserBurst(onset, Duration.ofMinutes(5), 600, 0),
        otherBits(onset),
        gap(onset, Duration.ofHours(13)),
        rollingRestart(onset, 3, Duration.ofMinutes(1)),
        outliers(onset, 3, 120),
        frequentDeployEvents(Duration.ofMinutes(7), end));
  }

  /** One of each fault that needs text traffic. */
  public static List<Fault> onText(Duration onset) {
    return List.of(
        hostTierLoses(onset, ACCURACY, 0.4),
        cacheHitsLose(onset, JSON_VALID, 0.1),
        int4HurtsArithmetic(onset, 0.25),
        precisionHurtsAll(onset, ACCURACY, 0.28),
        constraintIntroduced(onset),
        constrainedShareChanges(onset, 2),
        runawayOutputs(onset, 1 / 30.0));
  }
}
