package io.servedrift.schemas;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * The one way JSON from outside is parsed: repeated keys, more than one value and too deep nesting
 * are errors. NaN and Infinity are let through here, so that the field that holds one can be named.
 */
final class StrictJson {
  private static final ObjectReader TRUSTED =
      JsonMapper.builder().build().readerFor(JsonNode.class);

  private StrictJson() {}

  static ObjectReader reader(ReadLimits limits) {
    JsonFactory factory =
        JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(limits.maxDepth())
                    .maxStringLength(limits.maxBytes())
                    .build())
            .build();
    return JsonMapper.builder(factory)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build()
        .readerFor(JsonNode.class);
  }

  /** Parses text that we wrote ourselves. */
  static JsonNode trusted(String json) {
    try {
      return TRUSTED.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON", e);
    }
  }
}
