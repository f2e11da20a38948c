package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.capture.JsonFault;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.ReadLimits;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Parses the JSON of sources, as strictly as that of the contract. Thread-safe. */
final class SourceJson {
  /** Bodies with images in base64 are long; lines above the reader's own limit never come here. */
  private static final ObjectReader JSON =
      new EventReader(new ReadLimits(64 << 20, 64)).strictJson();

  private SourceJson() {}

  /** The object in these bytes; null when they are none. */
  static @Nullable ObjectNode object(byte[] bytes) {
    try {
      return JSON.readTree(bytes) instanceof ObjectNode object ? object : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** Why {@link #object} found none in these bytes. */
  static String fault(byte[] bytes) {
    try {
      JsonNode value = JSON.readTree(bytes);
      return value == null || value.isMissingNode()
          ? "nothing"
          : value.isArray() ? "an array" : "a single value";
    } catch (IOException e) {
      return JsonFault.inLine(e);
    }
  }

  /** The value in this text; null when it is none. */
  static @Nullable JsonNode value(String text) {
    try {
      JsonNode value = JSON.readTree(text);
      return value == null || value.isMissingNode() ? null : value;
    } catch (JsonProcessingException e) {
      return null;
    }
  }
}
