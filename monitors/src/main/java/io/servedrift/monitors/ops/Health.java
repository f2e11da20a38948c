package io.servedrift.monitors.ops;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.List;
import java.util.TreeSet;

/**
 * The health endpoints: {@code /-/healthy} answers 200 while the process serves HTTP, {@code
 * /-/ready} answers 200 when every component is ready and 503 otherwise, both with a JSON body.
 * Thread-safe.
 */
public final class Health {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final List<HealthCheck> checks;

  /**
   * Health of these components.
   *
   * @throws IllegalArgumentException when two checks have the same name
   */
  public Health(List<HealthCheck> checks) {
    this.checks = List.copyOf(checks);
    TreeSet<String> names = new TreeSet<>();
    for (HealthCheck check : checks) {
      if (!names.add(check.name())) {
        throw new IllegalArgumentException(
            "health check " + check.name() + ": given twice, names must be unique");
      }
    }
  }

  /** Adds both endpoints. */
  public void register(RoutesConfig routes) {
    routes.get("/-/healthy", this::healthy);
    routes.get("/-/ready", this::ready);
  }

  /**
   * Runs every check: {@code
   * {"schema_version":1,"ready":..,"components":{name:{"ready":..,"detail":".."}}}}.
   */
  public ObjectNode report() {
    ObjectNode components = JsonNodeFactory.instance.objectNode();
    boolean all = true;
    for (HealthCheck check : checks) {
      CheckResult result = run(check);
      all &= result.ready();
      components
          .putObject(check.name())
          .put("ready", result.ready())
          .put("detail", result.detail());
    }
    ObjectNode report = JsonNodeFactory.instance.objectNode();
    report.put("schema_version", 1).put("ready", all).set("components", components);
    return report;
  }

  private static CheckResult run(HealthCheck check) {
    try {
      return check.check();
    } catch (RuntimeException e) {
      // The message may quote anything; the class is enough to find the log line.
      return CheckResult.notReady("check failed: " + e.getClass().getSimpleName());
    }
  }

  private void healthy(Context ctx) throws Exception {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    answer(ctx, body.put("schema_version", 1).put("healthy", true));
  }

  private void ready(Context ctx) throws Exception {
    ObjectNode report = report();
    ctx.status(report.path("ready").asBoolean() ? 200 : 503);
    answer(ctx, report);
  }

  private static void answer(Context ctx, ObjectNode body) throws Exception {
    ctx.contentType("application/json")
        .header("Cache-Control", "no-store")
        .result(JSON.writeValueAsBytes(body));
  }
}
