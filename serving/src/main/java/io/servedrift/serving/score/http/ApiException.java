package io.servedrift.serving.score.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A post that is not answered with scores: status, and an error as OpenAI's API words it. The text
 * never holds a prompt or an image.
 */
final class ApiException extends Exception {

  private final int status;
  private final String code;
  private final @Nullable String param;

  private ApiException(int status, String code, @Nullable String param, String message) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }

  /** A field of the body is wrong: 400. */
  static ApiException invalid(String param, String message) {
    return new ApiException(400, "invalid_value", param, param + ": " + message);
  }

  /** What a field of the body names does not exist: 404. */
  static ApiException notFound(String param, String message) {
    return new ApiException(404, param + "_not_found", param, param + ": " + message);
  }

  /** The post as a whole is refused. */
  static ApiException refused(int status, String code, String message) {
    return new ApiException(status, code, null, message);
  }

  int status() {
    return status;
  }

  ObjectNode json() {
    return json(status, code, param, String.valueOf(getMessage()));
  }

  static ObjectNode json(int status, String code, @Nullable String param, String message) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.putObject("error")
        .put("message", message)
        .put("type", status >= 500 ? "server_error" : "invalid_request_error")
        .put("param", param)
        .put("code", code);
    return root;
  }
}
