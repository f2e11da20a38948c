package io.servedrift.monitors.testkit;

import io.servedrift.monitors.testkit.ConditioningCache.Tier;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.Constrained;
import io.servedrift.schemas.avro.Output;
import io.servedrift.schemas.avro.PrefixCache;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.Scheduling;
import io.servedrift.schemas.avro.Workload;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes what the simulation knows about a request as a node would report it. */
final class RequestRecords {
  private static final long DAY_MICROS = 86_400_000_000L;
  private static final int PREFIX_TOKENS = 640;

  private RequestRecords() {}

  static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
  }

  /**
   * @param finished end of the request, microseconds since the epoch
   * @param scores inline scores
   */
  static RequestEvent of(
      Served served,
      SimulatorSettings settings,
      Fleet fleet,
      long finished,
      RequestStatus status,
      Map<String, Double> scores) {
    RequestEvent event = new RequestEvent();
    event.setRequestId(served.id);
    event.setDeployment(settings.deployment());
    event.setNode("gpu-" + served.node);
    event.setConfigId(served.configId);
    event.setModelId(served.modelId);
    event.setArrivedAt(instant(served.arrivedMicros));
    event.setFinishedAt(instant(finished));
    event.setStatus(status);
    event.setLatencySeconds((finished - served.arrivedMicros) / 1e6);
    event.setStageSeconds(Map.of());
    event.setWorkload(workload(served, settings));
    event.setScores(scores);
    Map<String, String> scorers = new HashMap<>();
    scores.keySet().forEach(name -> scorers.put(name, fleet.scorer));
    event.setScorers(scorers);
    if (status == RequestStatus.OK) {
      event.setFinishReason("stop");
    } else {
      event.setError("worker_lost");
    }
    if (served.startedMicros >= 0) {
      double queue = (served.startedMicros - served.arrivedMicros) / 1e6 + served.extraQueueSeconds;
      event.setQueueSeconds(queue);
      event.setInferenceSeconds(Math.max(0, (finished - served.arrivedMicros) / 1e6 - queue));
      event.setStageSeconds(Map.of("text_encode", served.encodeMicros / 1e6));
      event.setCache(cache(served, settings));
      event.setScheduling(scheduling(served));
    }
    event.setBatch(batch(served));
    if (status == RequestStatus.OK) {
      event.setOutput(output(served, fleet));
    }
    return event;
  }

  private static Workload workload(Served served, SimulatorSettings settings) {
    Workload workload = new Workload();
    workload.setModality(settings.modality());
    workload.setPromptClass(served.promptClass.name());
    workload.setPromptHash(Long.toHexString(served.prompt));
    workload.setSeed(served.seed);
    workload.setAdapters(served.adapter == 0 ? List.of() : List.of("style-" + served.adapter));
    if (settings.modality().equals("image")) {
      workload.setWidth(1024);
      workload.setHeight(1024);
      workload.setImages(1);
      workload.setSteps(served.promptClass.steps());
    } else {
      workload.setPromptTokens(PREFIX_TOKENS + 100);
      workload.setOutputTokens(served.promptClass.steps() * 8);
      workload.setConstrained(new Constrained(served.constrained ? "json" : "off", null));
    }
    return workload;
  }

  private static BatchComposition batch(Served served) {
    BatchComposition batch = new BatchComposition();
    batch.setNeighbours(List.of());
    batch.setSegments(List.of());
    batch.setRunning(served.running);
    batch.setWaiting(served.waiting);
    if (served.stepsRun > 0) {
      batch.setSizeMin(served.batchMin);
      batch.setSizeMean(served.meanBatch());
      batch.setSizeMax(served.batchMax);
      batch.setJoined(served.joined);
      batch.setLeft(served.left);
      batch.setNeighbourAdapters(served.neighbourAdapters);
    }
    return batch;
  }

  private static @Nullable CacheUse cache(Served served, SimulatorSettings settings) {
    CacheUse cache = new CacheUse();
    cache.setEvictions(served.evictions);
    if (!served.cacheAsked) {
      cache.setConditioning(CacheOutcome.BYPASS);
      cache.setHit(false);
      return cache;
    }
    cache.setHit(served.hit());
    if (settings.modality().equals("image")) {
      cache.setConditioning(served.hit() ? CacheOutcome.HIT : CacheOutcome.MISS);
    } else {
      cache.setPrefix(
          new PrefixCache(
              served.tier == Tier.DEVICE ? PREFIX_TOKENS : 0,
              served.tier == Tier.HOST ? PREFIX_TOKENS : 0,
              0));
    }
    if (served.hit() && served.entryAgeMicros < DAY_MICROS) {
      cache.setEntryAgeSeconds(served.entryAgeMicros / 1e6);
    }
    return cache;
  }

  private static Scheduling scheduling(Served served) {
    Scheduling scheduling = new Scheduling();
    scheduling.setPreemptions(served.preemptions);
    scheduling.setPreemptedSeconds(served.preemptedMicros / 1e6);
    scheduling.setStalledSteps(served.stalledSteps);
    return scheduling;
  }

  private static Output output(Served served, Fleet fleet) {
    long bits =
        served.prompt * 31
            + served.seed
            + fleet.outputSalt * 0x9E3779B97F4A7C15L
            + (fleet.outputDependsOnBatch ? served.batchSum : 0);
    return new Output(Long.toHexString(bits * 0xBF58476D1CE4E5B9L), 180_000L);
  }
}
