package io.servedrift.monitors.testkit;

import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.Scheduling;
import io.servedrift.schemas.avro.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Requests at a constant rate whose every number is known: no queue, no day, no memory. For tests
 * of what happens to a shift, not of whether it is seen. Not thread-safe.
 */
public final class SteadyTraffic {
  /** First moment. */
  public static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  private final SplittableRandom random;
  private final double perMinute;
  private final List<RequestEvent> events = new ArrayList<>();
  private String config = "c0ffee0000000001";
  private String model = "beef000000000001";
  private String scorer = "clip@1";
  private long minute;
  private long ids;

  /** What a stretch of traffic is like. */
  public static final class Shape {
    /** Change of the score of hits. */
    public double hitScore;

    /** Change of all scores. */
    public double allScores;

    /** Factor on all latencies. */
    public double latency = 1;

    /** Factor on the latencies of hits. */
    public double hitLatency = 1;

    /** Share of hits. */
    public double hits = .3;

    /** Share of failures. */
    public double errors = .005;
  }

  /** With a rate. */
  public SteadyTraffic(long seed, double perMinute) {
    random = new SplittableRandom(seed);
    this.perMinute = perMinute;
  }

  /** From here on another configuration serves. */
  public SteadyTraffic config(String id) {
    config = id;
    return this;
  }

  /** From here on another model serves. */
  public SteadyTraffic model(String id) {
    model = id;
    return this;
  }

  /** From here on another scorer scores. */
  public SteadyTraffic scorer(String id) {
    scorer = id;
    return this;
  }

  /** Nothing arrives for a while. */
  public SteadyTraffic gap(Duration length) {
    minute += length.toMinutes();
    return this;
  }

  /** Adds healthy traffic. */
  public SteadyTraffic run(Duration length) {
    return run(length, new Shape());
  }

  /** Adds traffic. */
  public SteadyTraffic run(Duration length, Shape shape) {
    for (long end = minute + length.toMinutes(); minute < end; minute++) {
      int n = (int) perMinute + (random.nextDouble() < perMinute % 1 ? 1 : 0);
      for (int i = 0; i < n; i++) {
        events.add(request(START.plusSeconds(60 * minute + i * 60L / n), shape));
      }
    }
    return this;
  }

  /** Now. */
  public Instant now() {
    return START.plusSeconds(60 * minute);
  }

  /** What was added since the last call. */
  public List<RequestEvent> take() {
    List<RequestEvent> taken = List.copyOf(events);
    events.clear();
    return taken;
  }

  private RequestEvent request(Instant finished, Shape shape) {
    boolean hit = random.nextDouble() < shape.hits;
    int size = 1 + random.nextInt(5);
    boolean failed = random.nextDouble() < shape.errors;
    double latency =
        Math.exp(.2 * random.nextGaussian())
            * (1 + .1 * size)
            * (hit ? .9 * shape.hitLatency : 1)
            * shape.latency;
    double score =
        .3 + .03 * random.nextGaussian() + (hit ? .005 + shape.hitScore : 0) + shape.allScores;
    RequestEvent event = new RequestEvent();
    event.setRequestId("r-" + ids++);
    event.setDeployment("image-gen");
    event.setNode("gpu-" + random.nextInt(2));
    event.setConfigId(config);
    event.setModelId(model);
    event.setFinishedAt(finished);
    event.setArrivedAt(finished.minusMillis(Math.round(1000 * latency)));
    event.setStatus(failed ? RequestStatus.ERROR : RequestStatus.OK);
    event.setLatencySeconds(latency);
    event.setStageSeconds(Map.of());
    event.setScores(failed ? new HashMap<>() : new HashMap<>(Map.of("clip", score)));
    event.setScorers(failed ? new HashMap<>() : new HashMap<>(Map.of("clip", scorer)));
    Workload workload = new Workload();
    workload.setModality("image");
    workload.setPromptClass(random.nextDouble() < .6 ? "portrait" : "product");
    workload.setAdapters(List.of());
    event.setWorkload(workload);
    BatchComposition batch = new BatchComposition();
    batch.setNeighbours(List.of());
    batch.setSegments(List.of());
    batch.setSizeMax(size);
    event.setBatch(batch);
    CacheUse cache = new CacheUse();
    cache.setConditioning(hit ? CacheOutcome.HIT : CacheOutcome.MISS);
    event.setCache(cache);
    Scheduling scheduling = new Scheduling();
    scheduling.setPreemptions(0);
    event.setScheduling(scheduling);
    return event;
  }
}
