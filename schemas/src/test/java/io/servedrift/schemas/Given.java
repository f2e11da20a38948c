package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Inputs that tests start from. */
final class Given {
  private Given() {}

  static String resource(String name) {
    try (InputStream in = Given.class.getResourceAsStream("/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode json(String text) {
    return StrictJson.trusted(text.replace('\'', '"'));
  }

  /** The request of CONTRACT 1, word for word. */
  static ObjectNode contractRequest() {
    return (ObjectNode) json(resource("contract-request.json"));
  }

  /** The least that a request needs. */
  static ObjectNode smallRequest() {
    return (ObjectNode)
        json(
            "{'type':'request','request_id':'r-1','deployment':'d','status':'ok',"
                + "'finished_at':'2026-11-30T10:00:03Z','latency_seconds':3.4}");
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static Reading read(JsonNode node) {
    return new EventReader().read(utf8(node.toString()));
  }

  static Reading read(String text) {
    return new EventReader().read(utf8(text.replace('\'', '"')));
  }

  static Reading.Accepted accepted(Reading reading) {
    if (reading instanceof Reading.Rejected r) {
      throw new AssertionError("rejected: " + r.reason() + ": " + r.detail());
    }
    return (Reading.Accepted) reading;
  }

  static Reading.Rejected rejected(Reading reading) {
    if (reading instanceof Reading.Accepted a) {
      throw new AssertionError("accepted: " + a.event());
    }
    return (Reading.Rejected) reading;
  }
}
