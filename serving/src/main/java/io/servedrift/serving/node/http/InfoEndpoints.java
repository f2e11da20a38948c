package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.serving.cache.CacheStatistics;
import io.servedrift.serving.node.ModelCard;
import io.servedrift.serving.node.NodeState;
import io.servedrift.serving.node.ResolvedConfiguration;
import io.servedrift.serving.scheduler.SchedulerLimits;
import io.servedrift.serving.scheduler.SchedulerStatistics;
import java.time.Instant;

/**
 * {@code GET /health}, {@code /server_info} and {@code /v1/models}: what runs here, by which
 * configuration, and how it is. Thread-safe.
 */
final class InfoEndpoints {

  private final NodeState state;
  private final ApiLimits limits;
  private final Instant started;

  InfoEndpoints(NodeState state, ApiLimits limits, Instant started) {
    this.state = state;
    this.limits = limits;
    this.started = started;
  }

  void addTo(JavalinConfig config) {
    config.routes.get("/health", this::health);
    config.routes.get("/server_info", this::serverInfo);
    config.routes.get("/v1/models", this::models);
  }

  private void health(Context ctx) {
    boolean accepting = state.scheduler().accepting();
    ctx.status(accepting ? 200 : 503);
    String status = state.scheduler().failed() ? "failed" : accepting ? "ok" : "shutting_down";
    send(ctx, object().put("status", status));
  }

  private void models(Context ctx) {
    ObjectNode answer = object().put("object", "list");
    answer
        .putArray("data")
        .addObject()
        .put("id", state.engine().model().name())
        .put("object", "model")
        .put("created", started.getEpochSecond())
        .put("owned_by", "servedrift");
    send(ctx, answer);
  }

  private void serverInfo(Context ctx) {
    ResolvedConfiguration configuration = state.journal().configuration();
    ObjectNode info = object();
    info.put("version", state.version())
        .put("deployment", state.deployment())
        .put("node", state.node())
        .put("started_at", started.toString())
        .put("config_id", configuration.configId())
        .put("model_id", configuration.modelId());
    info.set("config", configuration.config());
    info.set("model", configuration.model());
    ArrayNode faults = info.putArray("faults");
    state.faults().words().forEach(faults::add);
    info.set("limits", limits(state.scheduler().limits()));
    info.set("capabilities", capabilities());
    info.set("api_limits", apiLimits(state.engine().model()));
    info.set("scheduler", scheduler(state.scheduler().statistics()));
    info.set("conditioning_cache", cache(state.engine().cache()));
    info.set("events", events(state.publisher().get()));
    send(ctx, info);
  }

  /**
   * What a client that compares configurations can ask of this node. In single mode there is no
   * batch to share; bypassing or flushing is taken without a cache too, and changes nothing then.
   */
  private ObjectNode capabilities() {
    return object()
        .put("modality", "image")
        .put("seed", true)
        .put("batches", state.scheduler().limits().batchSize() > 1)
        .put("cache", state.engine().engine().cacheBytes() > 0)
        .put("cache_bypass", true)
        .put("flush", true)
        .put("weights_digest", true);
  }

  /** The scheduler's limits as the API writes them. */
  static ObjectNode limits(SchedulerLimits limits) {
    return object()
        .put("mode", limits.mode().word())
        .put("max_batch_size", limits.maxBatchSize())
        .put("max_running", limits.maxRunning())
        .put("max_waiting", limits.maxWaiting())
        .put("max_preemptions", limits.maxPreemptions());
  }

  private ObjectNode apiLimits(ModelCard model) {
    ObjectNode all =
        object()
            .put("max_body_bytes", limits.maxBodyBytes())
            .put("max_prompt_characters", limits.maxPromptChars())
            .put("max_prompt_tokens", model.maxPromptTokens())
            .put("max_images", limits.maxImages())
            .put("max_steps", limits.maxSteps())
            .put("max_timeout_seconds", limits.maxTimeout().toMillis() / 1e3);
    ArrayNode sizes = all.putArray("sizes");
    model.sizes().forEach(size -> sizes.add(size.toString()));
    return all;
  }

  private static ObjectNode scheduler(SchedulerStatistics statistics) {
    return object()
        .put("running", statistics.running())
        .put("waiting", statistics.waiting())
        .put("preempted", statistics.preempted())
        .put("submitted", statistics.submitted())
        .put("refused", statistics.refused())
        .put("done", statistics.done())
        .put("failed", statistics.failed())
        .put("cancelled", statistics.cancelled())
        .put("timed_out", statistics.timedOut())
        .put("steps", statistics.steps())
        .put("preemptions", statistics.preemptions());
  }

  private static ObjectNode cache(CacheStatistics cache) {
    return object()
        .put("entries", cache.entries())
        .put("bytes", cache.bytes())
        .put("capacity_bytes", cache.capacityBytes())
        .put("hits", cache.hits())
        .put("misses", cache.misses())
        .put("bypasses", cache.bypasses())
        .put("evictions", cache.evictions())
        .put("flushed", cache.flushed());
  }

  private static ObjectNode events(PublisherMetrics metrics) {
    ObjectNode events =
        object()
            .put("offered", metrics.offered())
            .put("published", metrics.published())
            .put("in_flight", metrics.inFlight());
    ObjectNode dropped = events.putObject("dropped");
    for (DropReason reason : DropReason.values()) {
      dropped.put(reason.code(), metrics.dropped(reason));
    }
    return events;
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static void send(Context ctx, ObjectNode answer) {
    ctx.contentType("application/json")
        .header("Cache-Control", "no-store")
        .result(answer.toString());
  }
}
