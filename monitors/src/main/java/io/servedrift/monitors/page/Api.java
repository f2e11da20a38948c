package io.servedrift.monitors.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.WindowStatistics;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /api/v1/deployments|configs|series|findings|serving-events}: the read model as JSON,
 * each answer one object with {@code schema_version}. A number that is not known is null, never 0.
 * A bad parameter is answered with 400 and {@code {"error":{"parameter","value","allowed"}}}. No
 * CORS: pages of other origins cannot read it. Thread-safe.
 */
public final class Api {
  private static final int SCHEMA_VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** Windows per series unless {@code limit} says otherwise. */
  static final int DEFAULT_WINDOWS = 12;

  private static final int MOST_WINDOWS = 10_000;

  /** Windows in one answer at most, over all series; an answer that was cut says so. */
  static final int MOST_WINDOWS_IN_ANSWER = 50_000;

  private static final int DEFAULT_ITEMS = 100;
  private static final int MOST_ITEMS = 10_000;

  private final ReadModel model;

  /** Serves this model. */
  public Api(ReadModel model) {
    this.model = model;
  }

  /** Adds the API's endpoints. */
  public void register(RoutesConfig routes) {
    routes.get("/api/v1/deployments", answer(this::deployments, Set.of()));
    routes.get("/api/v1/configs", answer(this::configs, Set.of("deployment", "config_id")));
    routes.get(
        "/api/v1/series",
        answer(
            this::series,
            Set.of(
                "deployment", "config_id", "model_id", "metric", "window", "from", "to", "limit")));
    routes.get(
        "/api/v1/findings",
        answer(
            this::findings,
            Set.of(
                "id",
                "deployment",
                "config_id",
                "model_id",
                "metric",
                "state",
                "from",
                "to",
                "limit")));
    routes.get(
        "/api/v1/serving-events",
        answer(this::servingEvents, Set.of("deployment", "kind", "from", "to", "limit")));
  }

  /** What the page shows first: the answers that it will fetch later, in one object. */
  ObjectNode first() {
    ObjectNode data = NODES.objectNode();
    data.set("series", series(new Query(Map.of("limit", List.of("24")), Set.of("limit"))));
    data.set("configs", configs(new Query(Map.of(), Set.of())));
    data.set("events", servingEvents(new Query(Map.of("limit", List.of("50")), Set.of("limit"))));
    data.set("findings", findings(new Query(Map.of("limit", List.of("50")), Set.of("limit"))));
    data.set("deployments", deployments(new Query(Map.of(), Set.of())));
    return data;
  }

  private interface Endpoint {
    ObjectNode answer(Query query);
  }

  private static Handler answer(Endpoint endpoint, Set<String> parameters) {
    return ctx -> {
      try {
        write(ctx, 200, endpoint.answer(new Query(ctx.queryParamMap(), parameters)));
      } catch (BadParameter e) {
        ObjectNode body = document();
        body.putObject("error")
            .put("parameter", e.parameter())
            .put("value", e.value())
            .put("allowed", e.allowed());
        write(ctx, 400, body);
      }
    };
  }

  private static void write(Context ctx, int status, ObjectNode body)
      throws JsonProcessingException {
    ctx.status(status)
        .contentType("application/json")
        .header("Cache-Control", "no-store")
        .result(JSON.writeValueAsBytes(body));
  }

  private static ObjectNode document() {
    return NODES.objectNode().put("schema_version", SCHEMA_VERSION);
  }

  private static final class Deployment {
    final Map<String, TreeSet<String>> modelsByConfig = new TreeMap<>();
    final TreeSet<String> metrics = new TreeSet<>();
    Instant lastWindowEnd = Instant.MIN;
  }

  private ObjectNode deployments(Query query) {
    Map<String, Deployment> found = new TreeMap<>();
    for (Duration length : model.windowLengths()) {
      for (StoredWindow window : model.latest(length)) {
        SeriesKey key = window.series();
        Deployment deployment = found.computeIfAbsent(key.deployment(), d -> new Deployment());
        deployment
            .modelsByConfig
            .computeIfAbsent(key.configId(), c -> new TreeSet<>())
            .add(key.modelId());
        deployment.metrics.add(key.metric());
        if (window.end().isAfter(deployment.lastWindowEnd)) {
          deployment.lastWindowEnd = window.end();
        }
      }
    }
    ObjectNode body = document();
    ArrayNode lengths = body.putArray("windows");
    model.windowLengths().forEach(length -> lengths.add(WindowLength.text(length)));
    ArrayNode list = body.putArray("deployments");
    found.forEach(
        (name, deployment) -> {
          ObjectNode node = list.addObject().put("deployment", name);
          ArrayNode configs = node.putArray("configs");
          deployment.modelsByConfig.forEach(
              (configId, modelIds) -> {
                ArrayNode models =
                    configs.addObject().put("config_id", configId).putArray("model_ids");
                modelIds.forEach(models::add);
              });
          ArrayNode metrics = node.putArray("metrics");
          deployment.metrics.forEach(metrics::add);
          node.put("last_window_end", deployment.lastWindowEnd.toString());
        });
    ObjectNode letters = body.putObject("dead_letters");
    model.deadLetters().forEach(letters::put);
    return body;
  }

  private ObjectNode configs(Query query) {
    String deployment = query.text("deployment");
    Predicate<String> wanted = query.equal("config_id");
    ObjectNode body = document();
    ArrayNode configs = body.putArray("configs");
    model
        .configs()
        .forEach(
            (id, known) -> {
              if (wanted.test(id)
                  && (deployment == null || known.deployments().contains(deployment))) {
                ObjectNode node =
                    configs
                        .addObject()
                        .put("config_id", id)
                        .put("name", ConfigText.name(known.record()));
                ArrayNode deployments = node.putArray("deployments");
                known.deployments().forEach(deployments::add);
                ConfigRecord record = known.record();
                node.put("at", record.getAt().toString());
                node.set("config", ConfigText.parse(record.getCounted()));
                node.set("not_counted", orNull(ConfigText.parse(record.getNotCounted())));
                node.put("changed_by", record.getChangedBy())
                    .put("change_ref", record.getChangeRef());
              }
            });
    ArrayNode models = body.putArray("models");
    model
        .models()
        .forEach(
            (id, record) -> {
              ObjectNode node =
                  models.addObject().put("model_id", id).put("name", ConfigText.modelName(record));
              node.set("model", orNull(ConfigText.parse(record.getModel())));
            });
    return body;
  }

  private static JsonNode orNull(JsonNode node) {
    return node.isMissingNode() ? NODES.nullNode() : node;
  }

  private ObjectNode series(Query query) {
    List<Duration> lengths = model.windowLengths();
    List<String> words = lengths.stream().map(WindowLength::text).toList();
    int limit = query.number("limit", DEFAULT_WINDOWS, 1, MOST_WINDOWS);
    Instant from = query.time("from");
    Instant to = range(query, from);
    String word =
        from != null && query.text("window") == null
            ? WindowLength.text(model.lengthSince(from))
            : query.word("window", words);
    Predicate<String> deployment = query.equal("deployment");
    Predicate<String> configId = query.equal("config_id");
    Predicate<String> modelId = query.equal("model_id");
    Predicate<String> metric = query.equal("metric");
    Map<SeriesKey, List<StoredWindow>> found =
        model.windows(
            lengths.get(words.indexOf(word)),
            key ->
                deployment.test(key.deployment())
                    && configId.test(key.configId())
                    && modelId.test(key.modelId())
                    && metric.test(key.metric()),
            from,
            to);
    ObjectNode body = document().put("window", word);
    ArrayNode list = body.putArray("series");
    int written = 0;
    for (Map.Entry<SeriesKey, List<StoredWindow>> entry : found.entrySet()) {
      SeriesKey key = entry.getKey();
      List<StoredWindow> windows = entry.getValue();
      List<StoredWindow> shown =
          windows.subList(Math.max(0, windows.size() - limit), windows.size());
      if (written + shown.size() > MOST_WINDOWS_IN_ANSWER) {
        return body.put("truncated", true);
      }
      written += shown.size();
      ObjectNode node =
          list.addObject()
              .put("deployment", key.deployment())
              .put("model_id", key.modelId())
              .put("config_id", key.configId())
              .put("metric", key.metric());
      ArrayNode array = node.putArray("windows");
      for (StoredWindow window : shown) {
        ObjectNode item =
            array
                .addObject()
                .put("start", window.start().toString())
                .put("end", window.end().toString());
        numbers(item, window.numbers());
        item.put("corrections", model.corrections(key, window.start(), window.end()));
      }
      if (from != null && to != null) {
        node.set("range", merged(key, windows));
      }
    }
    return body.put("truncated", false);
  }

  private static @Nullable Instant range(Query query, @Nullable Instant from) {
    Instant to = query.time("to");
    if (from != null && to != null && !from.isBefore(to)) {
      throw new BadParameter("to", String.valueOf(query.text("to")), "after from");
    }
    return to;
  }

  private ObjectNode merged(SeriesKey key, List<StoredWindow> windows) {
    Instant start = windows.get(0).start();
    Instant end = windows.get(windows.size() - 1).end();
    ObjectNode node =
        NODES
            .objectNode()
            .put("start", start.toString())
            .put("end", end.toString())
            .put("windows", windows.size());
    try {
      numbers(node, RangeMerge.merge(windows));
    } catch (IllegalArgumentException e) {
      // A policy that changed the histograms within the range: there is no honest number for the
      // whole.
      node.put("error", "windows of this range cannot be merged: their histograms differ");
    }
    return node.put("corrections", model.corrections(key, start, end));
  }

  private static void numbers(ObjectNode node, WindowStatistics w) {
    node.put("n", w.n()).put("mean", w.mean());
    node.set("mean_interval", interval(w.meanLower(), w.meanUpper()));
    node.put("sd", w.sd()).put("p50", w.p50()).put("p90", w.p90()).put("p99", w.p99());
    node.set("p99_interval", interval(w.p99Lower(), w.p99Upper()));
    node.put("p99_state", w.p99State().name().toLowerCase(Locale.ROOT));
    node.put("p999", w.p999()).put("min", w.min()).put("max", w.max()).put("level", w.level());
  }

  // An interval that is open at one end keeps its known end.
  private static JsonNode interval(@Nullable Double lower, @Nullable Double upper) {
    return lower == null && upper == null
        ? NODES.nullNode()
        : NODES.arrayNode().add(lower).add(upper);
  }

  private ObjectNode findings(Query query) {
    String state =
        query.text("state") == null
            ? null
            : query.word("state", List.of("open", "closed", "accepted"));
    int limit = query.number("limit", DEFAULT_ITEMS, 1, MOST_ITEMS);
    Instant from = query.time("from");
    Instant to = range(query, from);
    List<Finding> found = new ArrayList<>();
    for (Finding finding : model.findings()) {
      if (query.equal("id").test(finding.getFindingId())
          && query.equal("deployment").test(finding.getDeployment())
          && query.equal("config_id").test(finding.getConfigId())
          && query.equal("model_id").test(finding.getModelId())
          && query.equal("metric").test(finding.getMetric())
          && (state == null || state.equals(finding.getState().name().toLowerCase(Locale.ROOT)))
          && within(finding.getOnsetAt(), from, to)) {
        found.add(finding);
      }
    }
    ObjectNode body = document();
    ArrayNode list = body.putArray("findings");
    for (Finding finding : found.subList(Math.max(0, found.size() - limit), found.size())) {
      list.add(orNull(ConfigText.parse(finding.getBody())));
    }
    return body.put("truncated", found.size() > limit);
  }

  private ObjectNode servingEvents(Query query) {
    String kind = query.text("kind");
    if (kind != null) {
      query.word(
          "kind",
          Arrays.stream(ServingEventKind.values())
              .filter(k -> k != ServingEventKind.UNKNOWN)
              .map(k -> k.name().toLowerCase(Locale.ROOT))
              .toList());
    }
    int limit = query.number("limit", DEFAULT_ITEMS, 1, MOST_ITEMS);
    Instant from = query.time("from");
    Instant to = range(query, from);
    List<ServingEvent> found = new ArrayList<>();
    for (ServingEvent event : model.servingEvents()) {
      if (query.equal("deployment").test(event.getDeployment())
          && (kind == null || kind.equals(event.getKind().name().toLowerCase(Locale.ROOT)))
          && within(event.getAt(), from, to)) {
        found.add(event);
      }
    }
    ObjectNode body = document();
    ArrayNode list = body.putArray("serving_events");
    for (ServingEvent event : found.subList(Math.max(0, found.size() - limit), found.size())) {
      list.add(EventJson.toJson(event));
    }
    return body.put("truncated", found.size() > limit);
  }

  private static boolean within(Instant at, @Nullable Instant from, @Nullable Instant to) {
    return (from == null || !at.isBefore(from)) && (to == null || at.isBefore(to));
  }
}
