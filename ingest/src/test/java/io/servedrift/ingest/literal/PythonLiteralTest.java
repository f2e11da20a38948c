package io.servedrift.ingest.literal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PythonLiteralTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "None | null",
        "True | true",
        "-3 | -3",
        "1e-05 | 1.0E-5",
        "3. | 3.0",
        "nan | \"NaN\"",
        "'it\\'s' | \"it's\"",
        "\"a'b\" | \"a'b\"",
        "'\\x41\\u00e9\\n' | \"Aé\\n\"",
        "(1, 2,) | [1,2]",
        "{'a': [1, {'b': None}]} | {\"a\":[1,{\"b\":null}]}",
        "{1, 2} | [1,2]",
        "{} | {}",
        "{1: 'x'} | {\"1\":\"x\"}",
        "F(a=1, b='x', c=G()) | {\"a\":1,\"b\":\"x\",\"c\":{}}",
        "Size([1, 2]) | [[1,2]]",
        "<Mode.A: 3> | \"Mode.A\"",
        "torch.bfloat16 | \"torch.bfloat16\"",
        "16bit | \"16bit\"",
        "b'x' | \"x\"",
        "'ab' ... 'yz' | \"ab...yz\"",
        "[1, 2] ... [9] | [1,2]",
      })
  void readsWhatReprPrints(String text, String json) {
    assertThat(PythonLiteral.parse(text)).hasToString(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "'open", "[1", "{'a' 1}", "{'a':}", "F(a=", "1 2", "'\\x4'", "<a", ")"})
  void readsNothingFromWhatIsNoLiteral(String text) {
    assertThat(PythonLiteral.parse(text)).isNull();
  }

  @Test
  void stopsAtADepthNobodyNeeds() {
    assertThat(PythonLiteral.parse("[".repeat(100_000))).isNull();
    assertThat(PythonLiteral.parse("[".repeat(60) + "]".repeat(60))).isNotNull();
    assertThat(PythonLiteral.parse("'a' ... ".repeat(100_000))).isNull();
  }

  @Test
  void readsArgumentsUpToWhatIsNone() {
    assertThat(PythonLiteral.parseArguments("a=1, b=x.y, c={'d': 2} and more"))
        .hasToString("{\"a\":1,\"b\":\"x.y\",\"c\":{\"d\":2}}");
    assertThat(PythonLiteral.parseArguments("nothing here")).isEmpty();
  }
}
