package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A call that is answered with an error in the style of OpenAI. Its text quotes no prompt. */
final class ApiException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final String INVALID = "invalid_request_error";
  private static final String SERVER = "server_error";

  private final int status;
  private final String type;
  private final @Nullable String param;
  private final @Nullable String code;

  private ApiException(
      int status, String type, @Nullable String param, @Nullable String code, String message) {
    super(message);
    this.status = status;
    this.type = type;
    this.param = param;
    this.code = code;
  }

  /** 400: a member of the call is wrong. */
  static ApiException invalid(String param, String code, String message) {
    return new ApiException(400, INVALID, param, code, message);
  }

  /** The call as a whole cannot be taken. */
  static ApiException refused(int status, String code, String message) {
    return new ApiException(status, INVALID, null, code, message);
  }

  /** 404: no such model. */
  static ApiException unknownModel(String name) {
    return new ApiException(
        404, INVALID, "model", "model_not_found", "model " + name + ": not served here");
  }

  /** 429: the queue is full. */
  static ApiException overloaded(String message) {
    return new ApiException(429, "rate_limit_error", null, "queue_full", message);
  }

  /** The node could not do it, though the call is right. */
  static ApiException failed(int status, String code, String message) {
    return new ApiException(status, SERVER, null, code, message);
  }

  /** The HTTP status. */
  int status() {
    return status;
  }

  /** {@code {"error":{"message","type","param","code"}}}. */
  ObjectNode body() {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.putObject("error")
        .put("message", getMessage())
        .put("type", type)
        .put("param", param)
        .put("code", code);
    return body;
  }
}
