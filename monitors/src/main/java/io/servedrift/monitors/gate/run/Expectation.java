package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** What a right answer to a chat prompt is. Scores are 1 for right and 0 for wrong. Immutable. */
public sealed interface Expectation {
  /** Score of an answer that must be of a form. */
  String JSON_VALID = "json_valid";

  /** Score of an answer that must say something. */
  String ANSWER_CORRECT = "answer_correct";

  /** Who gave these scores. */
  String SCORER = "servedrift-gate@1";

  /** Scores of a text by name. */
  Map<String, Double> scores(String answer);

  /**
   * The answer is this text, but for spaces around it and for case.
   *
   * @param text the answer
   */
  record Exact(String text) implements Expectation {
    @Override
    public Map<String, Double> scores(String answer) {
      boolean right =
          answer.strip().toLowerCase(Locale.ROOT).equals(text.strip().toLowerCase(Locale.ROOT));
      return Map.of(ANSWER_CORRECT, right ? 1.0 : 0.0);
    }
  }

  /**
   * A pattern is found in the answer. The search gives up, as wrong, on an answer longer than 64 Ki
   * characters.
   *
   * @param pattern Java's regular expression
   */
  record Matching(Pattern pattern) implements Expectation {
    private static final int LONGEST = 1 << 16;

    @Override
    public Map<String, Double> scores(String answer) {
      boolean right = answer.length() <= LONGEST && pattern.matcher(answer).find();
      return Map.of(ANSWER_CORRECT, right ? 1.0 : 0.0);
    }
  }

  /**
   * The answer is one JSON value of a form.
   *
   * @param form the schema
   */
  record Json(JsonForm form) implements Expectation {
    private static final ObjectReader READER =
        JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(JsonNode.class);

    @Override
    public Map<String, Double> scores(String answer) {
      return Map.of(JSON_VALID, valid(answer) ? 1.0 : 0.0);
    }

    private boolean valid(String answer) {
      try {
        JsonNode read = READER.readTree(answer);
        return read != null && !read.isMissingNode() && form.accepts(read);
      } catch (JsonProcessingException e) {
        return false;
      }
    }
  }
}
