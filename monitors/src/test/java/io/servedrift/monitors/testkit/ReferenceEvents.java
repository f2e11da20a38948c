package io.servedrift.monitors.testkit;

import io.servedrift.monitors.testkit.ReferenceTraffic.Minute;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.Scheduling;
import io.servedrift.schemas.avro.Workload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The reference traffic as request events: spread evenly over their minute, in event-time order,
 * with the CLIP score inline. Stateless.
 */
public final class ReferenceEvents {
  private static final long MINUTE_MICROS = 60_000_000L;

  private ReferenceEvents() {}

  /**
   * Gives the requests of a traffic.
   *
   * @param deployment its name
   * @param start of the first minute
   * @param sink gets them in event-time order
   */
  public static void run(
      ReferenceTraffic traffic, String deployment, Instant start, Consumer<RequestEvent> sink) {
    long[] id = {0};
    long first = start.getEpochSecond() * 1_000_000;
    traffic.forEachMinute(
        minute -> {
          for (int i = 0; i < minute.size(); i++) {
            long at =
                first
                    + minute.index() * MINUTE_MICROS
                    + (2L * i + 1) * MINUTE_MICROS / (2L * minute.size());
            sink.accept(event(minute, i, "r-" + id[0]++, deployment, at));
          }
        });
  }

  private static RequestEvent event(
      Minute minute, int i, String id, String deployment, long finished) {
    double latency = minute.latencySeconds(i);
    RequestEvent event = new RequestEvent();
    event.setRequestId(id);
    event.setDeployment(deployment);
    event.setNode("gpu-0");
    event.setConfigId("reference");
    event.setModelId("reference");
    event.setArrivedAt(RequestRecords.instant(finished - Math.round(latency * 1e6)));
    event.setFinishedAt(RequestRecords.instant(finished));
    event.setStatus(RequestStatus.OK);
    event.setLatencySeconds(latency);
    event.setStageSeconds(Map.of());
    event.setScores(Map.of("clip", minute.clip(i)));
    event.setScorers(Map.of("clip", "scorer@1"));
    Workload workload = new Workload();
    workload.setModality("image");
    workload.setPromptClass("class-" + minute.promptClass(i));
    workload.setAdapters(List.of());
    event.setWorkload(workload);
    CacheUse cache = new CacheUse();
    cache.setHit(minute.hit(i));
    event.setCache(cache);
    BatchComposition batch = new BatchComposition();
    batch.setSizeMax(minute.batch(i));
    batch.setNeighbours(List.of());
    batch.setSegments(List.of());
    event.setBatch(batch);
    Scheduling scheduling = new Scheduling();
    scheduling.setPreemptions(minute.preempted(i) ? 1 : 0);
    event.setScheduling(scheduling);
    return event;
  }
}
