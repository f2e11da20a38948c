package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.avro.specific.SpecificRecord;

/** Events for tests: single ones by hand, and seeded traffic of one deployment. */
public final class TestEvents {
  public static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

  private TestEvents() {}

  /** A request that ended well after the given seconds of latency. */
  public static RequestEvent request(String id, Instant finishedAt, double latency) {
    return RequestEvent.newBuilder()
        .setRequestId(id)
        .setDeployment("image-gen")
        .setNode("gpu-0")
        .setConfigId("c1")
        .setModelId("m1")
        .setFinishedAt(finishedAt)
        .setStatus(RequestStatus.OK)
        .setLatencySeconds(latency)
        .build();
  }

  public static ScoreEvent score(String id, String name, double value, Instant at) {
    return new ScoreEvent(id, "image-gen", name, value, "scorer@1", at);
  }

  public static Tick tick(Instant at) {
    return new Tick(at);
  }

  /**
   * Seeded traffic in event-time order: requests of some configurations and classes, a third of
   * them scored inline, a third by a late score, a few failures. Every other one says when it
   * arrived, up to a minute and a half before its end.
   *
   * @param perSecond requests per second of event time
   */
  public static List<SpecificRecord> traffic(long seed, Duration length, int perSecond) {
    SplittableRandom random = new SplittableRandom(seed);
    List<SpecificRecord> events = new ArrayList<>();
    long n = length.toSeconds() * perSecond;
    for (int i = 0; i < n; i++) {
      Instant at = START.plusMillis(i * 1000L / perSecond + random.nextInt(3));
      RequestEvent request = request("r-" + i, at, 0.5 + random.nextDouble() * 10);
      request.setConfigId("c" + random.nextInt(3));
      request.setStatus(random.nextInt(50) == 0 ? RequestStatus.ERROR : RequestStatus.OK);
      if (i % 2 == 0) {
        request.setArrivedAt(at.minusSeconds(i % 89));
      }
      Workload workload = new Workload();
      workload.setAdapters(List.of());
      workload.setPromptClass("class-" + random.nextInt(4));
      workload.setSteps(20 + 10 * random.nextInt(2));
      request.setWorkload(workload);
      CacheUse cache = new CacheUse();
      cache.setHit(random.nextBoolean());
      request.setCache(cache);
      BatchComposition batch = new BatchComposition();
      batch.setNeighbours(List.of());
      batch.setSegments(List.of());
      batch.setSizeMax(1 + random.nextInt(12));
      request.setBatch(batch);
      int scored = random.nextInt(3);
      if (scored == 0) {
        request.setScores(Map.of("clip", 0.3 + random.nextDouble() / 20));
        request.setScorers(Map.of("clip", "scorer@1"));
      } else if (scored == 1) {
        events.add(
            score(
                "r-" + i,
                "clip",
                0.3 + random.nextDouble() / 20,
                at.plusSeconds(random.nextInt(60))));
      }
      events.add(request);
    }
    events.sort(java.util.Comparator.comparing(io.servedrift.schemas.EventTimes::of));
    return events;
  }
}
