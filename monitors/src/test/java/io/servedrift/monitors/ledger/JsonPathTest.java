package io.servedrift.monitors.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPathTest {
  private static final JsonNode DOCUMENT =
      Entries.json(
          "{'results':{'geneval':{'overall':0.71,'n':'many'}},'runs':[{'score':1},{'score':2}],"
              + "'v1.5':{'a':3}}");

  @Test
  void findsNumbersByNameIndexAndEscapedDot() {
    assertThat(JsonPath.parse("results.geneval.overall").number(DOCUMENT)).isEqualTo(0.71);
    assertThat(JsonPath.parse("runs.1.score").number(DOCUMENT)).isEqualTo(2);
    assertThat(JsonPath.parse("v1\\.5.a").number(DOCUMENT)).isEqualTo(3);
  }

  @Test
  void saysWhatIsThere_whenAStepLeadsNowhere() {
    assertThatThrownBy(() -> JsonPath.parse("results.gen.overall").number(DOCUMENT))
        .hasMessage("results.gen.overall: no 'gen' there; there are geneval");
    assertThatThrownBy(() -> JsonPath.parse("runs.7.score").number(DOCUMENT))
        .hasMessageContaining("no '7' there");
    assertThatThrownBy(() -> JsonPath.parse("results.geneval.n").number(DOCUMENT))
        .hasMessage("results.geneval.n: must be a number, is a text");
    assertThatThrownBy(() -> JsonPath.parse("results").number(DOCUMENT))
        .hasMessageContaining("is an object");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".a", "a.", "a..b"})
  void refusesEmptySteps(String text) {
    assertThatThrownBy(() -> JsonPath.parse(text)).hasMessageContaining("names with dots");
  }
}
