package io.servedrift.serving.node.http;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers every error of the server in the style of OpenAI. */
final class ApiErrors {

  private static final Logger LOG = LoggerFactory.getLogger(ApiErrors.class);
  private static final String RETRY_AFTER_SECONDS = "1";

  private ApiErrors() {}

  /** Adds the handlers. */
  static void addTo(JavalinConfig config) {
    config.routes.exception(ApiException.class, (e, ctx) -> send(ctx, e));
    config.routes.exception(
        HttpResponseException.class,
        (e, ctx) ->
            send(ctx, ApiException.refused(e.getStatus(), code(e.getStatus()), message(e))));
    config.routes.exception(
        Exception.class,
        (e, ctx) -> {
          LOG.error("a call failed: {}", e.getClass().getName());
          // Classes and places only: texts may quote a prompt.
          for (Throwable at = e; at != null; at = at.getCause()) {
            LOG.debug("{} at {}", at.getClass().getName(), Arrays.toString(at.getStackTrace()));
          }
          send(ctx, ApiException.failed(500, "internal_error", "internal error"));
        });
  }

  private static String message(HttpResponseException e) {
    return e.getMessage() == null ? "refused" : e.getMessage();
  }

  private static String code(int status) {
    return switch (status) {
      case 401 -> "invalid_api_key";
      case 404 -> "not_found";
      case 405 -> "method_not_allowed";
      default -> "refused";
    };
  }

  /** Answers with this error. */
  static void send(Context ctx, ApiException e) {
    prepare(ctx, e);
    ctx.contentType("application/json").result(e.body().toString());
  }

  /** Sets what goes before the body of this error. */
  static void prepare(Context ctx, ApiException e) {
    if (e.status() == 429 || e.status() == 503) {
      ctx.header("Retry-After", RETRY_AFTER_SECONDS);
    }
    ctx.status(e.status());
  }
}
