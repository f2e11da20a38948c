package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** JSON from an endpoint, which may be anything. Stateless. */
final class StrictBody {
  private static final int MAX_DEPTH = 64;
  private static final ObjectReader READER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .readerFor(JsonNode.class);

  private StrictBody() {}

  /** The object that a body is; null when it is none. */
  static @Nullable JsonNode object(byte[] body) {
    return object(body, 0, body.length);
  }

  static @Nullable JsonNode object(byte[] body, int from, int length) {
    try {
      JsonNode node = READER.readTree(body, from, length);
      return node != null && node.isObject() ? node : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** A finite number, null when it is none. */
  static @Nullable Double number(JsonNode node) {
    return node.isNumber() && Double.isFinite(node.doubleValue()) ? node.doubleValue() : null;
  }
}
