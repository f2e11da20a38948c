package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scores of a text answer that cost microseconds and need no model:
 *
 * <ul>
 *   <li>{@code json_valid}: 1 when an answer that was to be JSON is one JSON document, else 0
 *   <li>{@code schema_match}: 1 when it also satisfies the JSON schema of the request, else 0
 *   <li>{@code output_length}: its length in Unicode code points
 *   <li>{@code repetition}: the share of its word 4-grams that repeat an earlier one, see {@link
 *       WordGrams}; over the first 4,096 words, only for 20 or more
 * </ul>
 *
 * One thread at a time.
 */
final class OutputProxies {

  /** Name and version of this scorer. */
  static final String SCORER = "servedrift-gateway@1";

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private final SchemaMatch schemas = new SchemaMatch();

  /** The scores of an answer; empty when there is no text to score. */
  Map<String, Double> scores(Route route, Ask ask, Answer answer) {
    Map<String, Double> scores = new LinkedHashMap<>();
    String text = answer.text();
    if (!route.modality().equals("text") || text == null) {
      return scores;
    }
    scores.put("output_length", (double) text.codePointCount(0, text.length()));
    Double repetition = WordGrams.repetition(text);
    if (repetition != null) {
      scores.put("repetition", repetition);
    }
    if (ask.wantsJson()) {
      JsonNode document = document(text);
      scores.put("json_valid", document == null ? 0.0 : 1.0);
      JsonNode schema = ask.schema();
      Boolean matches = schema == null ? null : schemas.matches(schema, document);
      if (matches != null) {
        scores.put("schema_match", matches ? 1.0 : 0.0);
      }
    }
    return scores;
  }

  /** The text as one JSON document, null when it is not. */
  static @Nullable JsonNode document(String text) {
    try {
      JsonNode node = JSON.readTree(text);
      return node == null || node.isMissingNode() ? null : node;
    } catch (JsonProcessingException notJson) {
      return null;
    }
  }
}
