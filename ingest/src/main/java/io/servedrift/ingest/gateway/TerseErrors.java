package io.servedrift.ingest.gateway;

import java.io.PrintWriter;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's own errors, in the form that clients of an OpenAI-style API read: what HTTP calls
 * them, and nothing of the inside.
 */
final class TerseErrors extends ErrorHandler {

  TerseErrors() {
    setShowStacks(false);
    setShowCauses(false);
    setShowMessageInTitle(false);
    setDefaultResponseMimeType("application/json");
  }

  @Override
  protected void writeErrorJson(
      Request request,
      PrintWriter writer,
      int code,
      @Nullable String message,
      @Nullable Throwable cause) {
    writer.append("{\"error\":{\"message\":\"gateway: ");
    writer.append(HttpStatus.getMessage(code));
    writer.append("\",\"type\":\"gateway_error\",\"param\":null,\"code\":\"");
    writer.append(Integer.toString(code)).append("\"}}");
  }
}
