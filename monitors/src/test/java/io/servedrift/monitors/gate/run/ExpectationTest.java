package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpectationTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static JsonForm form(String schema) throws JsonProcessingException {
    return JsonForm.of(JSON.readTree(schema));
  }

  @Test
  void comparesAnAnswerWithoutCaseAndSpaces() {
    Expectation paris = new Expectation.Exact("Paris");
    assertThat(paris.scores(" paris\n")).isEqualTo(Map.of("answer_correct", 1.0));
    assertThat(paris.scores("Paris.")).isEqualTo(Map.of("answer_correct", 0.0));
  }

  @Test
  void findsAPattern() {
    Expectation four = new Expectation.Matching(Pattern.compile("\\b4\\b"));
    assertThat(four.scores("It is 4.")).containsEntry("answer_correct", 1.0);
    assertThat(four.scores("It is 44.")).containsEntry("answer_correct", 0.0);
    assertThat(four.scores("4 ".repeat(40_000))).containsEntry("answer_correct", 0.0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"name\":\"x\",\"n\":3}|1",
        "{\"name\":\"x\",\"n\":3.0}|1",
        "{\"name\":\"x\"}|1",
        "{\"n\":3}|0",
        "{\"name\":\"x\",\"n\":3.5}|0",
        "{\"name\":\"z\"}|0",
        "{\"name\":\"x\",\"more\":1}|0",
        "{\"name\":\"x\",\"list\":[1,null]}|1",
        "{\"name\":\"x\",\"list\":[1,\"a\"]}|0",
        "{\"name\":\"x\"} and more|0",
        "```json {\"name\":\"x\"}```|0",
        "[]|0",
        "' '|0"
      })
  void checksTheFormOfAnAnswer(String answer, double right) throws JsonProcessingException {
    Expectation expected =
        new Expectation.Json(
            form(
                "{\"type\":\"object\",\"required\":[\"name\"],\"additionalProperties\":false,"
                    + "\"properties\":{\"name\":{\"enum\":[\"x\",\"y\"]},\"n\":{\"type\":\"integer\"},"
                    + "\"list\":{\"type\":\"array\",\"items\":{\"type\":[\"number\",\"null\"]}}}}"));

    assertThat(expected.scores(answer)).isEqualTo(Map.of("json_valid", right));
  }

  @Test
  void refusesASchemaThatItCannotCheck() {
    assertThatThrownBy(
            () ->
                form(
                    "{\"type\":\"thing\",\"properties\":{\"a\":{\"pattern\":\"x\"}},\"required\":1}"))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains("schema.type=thing: must be one of")
        .contains("schema.a.pattern: must be one of")
        .contains("schema.required: must be a list");
  }

  @Test
  void comparesTokens() {
    var a = TokenDistance.words("the quick brown fox");
    var b = TokenDistance.words(" the quick  red fox jumps ");

    assertThat(TokenDistance.firstDivergence(a, b)).isEqualTo(2);
    assertThat(TokenDistance.share(a, b)).isEqualTo(3.0 / 5);
    assertThat(TokenDistance.firstDivergence(a, a)).isNull();
    assertThat(TokenDistance.share(a, a)).isEqualTo(1);
    assertThat(TokenDistance.firstDivergence(a, TokenDistance.words("the quick"))).isEqualTo(2);
    assertThat(TokenDistance.share(TokenDistance.words(""), TokenDistance.words(" "))).isEqualTo(1);
  }
}
