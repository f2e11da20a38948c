package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.node.NodeAdministration;
import io.servedrift.serving.scheduler.BatchingMode;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * {@code POST /admin/*}: flush of the cache, limits of the scheduler, faults on purpose, weights.
 * Every answer says what holds now. Thread-safe.
 */
final class AdminEndpoints {

  private static final Set<String> LIMITS =
      Set.of("mode", "max_batch_size", "max_running", "max_waiting", "max_preemptions");
  private static final int MAX_PATH = 4096;

  private final JsonBody body;
  private final NodeAdministration administration;
  private final int maxImages;

  /** With the most images of one call, which must find room together. */
  AdminEndpoints(JsonBody body, NodeAdministration administration, int maxImages) {
    this.body = body;
    this.administration = administration;
    this.maxImages = maxImages;
  }

  void addTo(JavalinConfig config) {
    config.routes.before("/admin/*", new AdminGuard());
    config.routes.post("/admin/flush_cache", this::flushCache);
    config.routes.post("/admin/limits", this::limits);
    config.routes.post("/admin/faults", this::faults);
    config.routes.post("/admin/reload_weights", this::reloadWeights);
  }

  private void flushCache(Context ctx) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    send(ctx, answer.put("flushed_entries", administration.flushCache()));
  }

  private void limits(Context ctx) throws IOException {
    ObjectNode asked = body.read(ctx);
    requireKnown(asked, LIMITS);
    Members members = new Members(asked);
    try {
      send(ctx, InfoEndpoints.limits(administration.limits(now -> changed(now, members))));
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      throw ApiException.invalid(message.split("=", 2)[0], "value_out_of_range", message);
    }
  }

  private SchedulerLimits changed(SchedulerLimits now, Members members) {
    SchedulerLimits next =
        new SchedulerLimits(
            mode(members, now.mode()),
            number(members, "max_batch_size", now.maxBatchSize()),
            number(members, "max_running", now.maxRunning()),
            number(members, "max_waiting", now.maxWaiting()),
            number(members, "max_preemptions", now.maxPreemptions()));
    if (next.maxWaiting() < maxImages) {
      throw new IllegalArgumentException(
          "max_waiting=" + next.maxWaiting() + ": must be at least max-images, " + maxImages);
    }
    return next;
  }

  private static BatchingMode mode(Members members, BatchingMode now) {
    String word = members.text("mode", 64);
    return word == null ? now : BatchingMode.ofWord(Members.quoted(word));
  }

  private static int number(Members members, String name, int now) {
    return (int) members.integer(name, 0, Integer.MAX_VALUE, now);
  }

  private void faults(Context ctx) throws IOException {
    ObjectNode asked = body.read(ctx);
    requireKnown(asked, Set.of("faults"));
    JsonNode list = asked.path("faults");
    if (!list.isArray()) {
      throw ApiException.invalid("faults", "invalid_type", "faults: must be a list of names");
    }
    Set<Fault> on = EnumSet.noneOf(Fault.class);
    list.forEach(name -> on.add(fault(name.asText())));
    administration.faults(on);
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    var names = answer.putArray("faults");
    on.forEach(fault -> names.add(fault.word()));
    send(ctx, answer);
  }

  private static Fault fault(String word) {
    try {
      return Fault.ofWord(Members.quoted(word));
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid("faults", "unsupported_value", "faults: " + e.getMessage());
    }
  }

  private void reloadWeights(Context ctx) throws IOException {
    ObjectNode asked = body.read(ctx);
    requireKnown(asked, Set.of("model_dir"));
    String directory = new Members(asked).text("model_dir", MAX_PATH);
    if (directory == null) {
      throw ApiException.invalid(
          "model_dir", "missing_required_parameter", "model_dir: must be a model directory");
    }
    try {
      administration.reloadWeights(Path.of(directory));
    } catch (IOException | IllegalArgumentException e) {
      boolean noPath = e instanceof InvalidPathException;
      throw ApiException.invalid(
          "model_dir",
          "cannot_load",
          noPath ? "model_dir: must be a path" : "model_dir: " + e.getMessage());
    }
    send(ctx, JsonNodeFactory.instance.objectNode().put("reloaded", true));
  }

  private static void requireKnown(ObjectNode asked, Set<String> known) {
    asked
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                throw ApiException.invalid(
                    Members.quoted(name),
                    "unknown_parameter",
                    "unknown parameter "
                        + Members.quoted(name)
                        + ": known are "
                        + known.stream().sorted().collect(Collectors.joining(", ")));
              }
            });
  }

  private static void send(Context ctx, ObjectNode answer) {
    ctx.contentType("application/json").result(answer.toString());
  }
}
