package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Bodies of OTLP over HTTP, in JSON or protobuf, to events. Stateless, thread-safe. */
public final class OtlpBodies {
  private static final byte[] NOTHING = {};

  private OtlpBodies() {}

  /**
   * Reads a body.
   *
   * @param protobuf whether it is protobuf, else JSON
   * @param logs whether it is of {@code /v1/logs}, else of {@code /v1/traces}
   * @return false when it cannot be read as such; nothing was given then
   */
  public static boolean read(
      byte[] body, boolean protobuf, boolean logs, AdapterSettings settings, AdapterOutput out) {
    ObjectNode json =
        !protobuf
            ? SourceJson.object(body)
            : logs ? OtlpProtobuf.logs(body) : OtlpProtobuf.traces(body);
    if (json == null) {
      return false;
    }
    if (!json.isEmpty()) {
      new Otlp(settings).take(json, new SourceLine(NOTHING, 0, 1), out);
    }
    return true;
  }
}
