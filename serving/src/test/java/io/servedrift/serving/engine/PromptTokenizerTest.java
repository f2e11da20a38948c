package io.servedrift.serving.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The ids are those of the vocabulary in the file: start 1, end 2, unknown 3, a 4, red 14, circle
 * 18.
 */
class PromptTokenizerTest {

  private static final Path FILE = Path.of("src/test/resources/pipeline-random/tokenizer.json");

  private PromptTokenizer tokenizer;

  @BeforeEach
  void load() throws IOException {
    tokenizer = PromptTokenizer.load(FILE, 8);
  }

  @AfterEach
  void close() {
    tokenizer.close();
  }

  @Test
  void addsSpecialTokensAndDoesNotPad() {
    assertThat(tokenizer.encode("a red circle").ids()).containsExactly(1, 4, 14, 18, 2);
  }

  @Test
  void normalisesAndMapsUnknownWords() {
    assertThat(tokenizer.encode("A Red zebra").ids()).containsExactly(1, 4, 14, 3, 2);
  }

  @Test
  void emptyPromptIsOnlyTheSpecialTokens() {
    assertThat(tokenizer.encode("").ids()).containsExactly(1, 2);
  }

  @Test
  void cutsALongPromptAndKeepsTheEndToken() {
    PromptTokens tokens = tokenizer.encode("a a a a a a red red red");

    assertThat(tokens.ids()).containsExactly(1, 4, 4, 4, 4, 4, 4, 2);
    assertThat(tokens.truncated()).isTrue();
    assertThat(tokenizer.encode("a a a a a a").truncated()).isFalse();
  }

  @Test
  void countsWhatItCutsToo() {
    assertThat(tokenizer.count("a red circle")).isEqualTo(5);
    assertThat(tokenizer.count("a a a a a a")).isEqualTo(8);
    assertThat(tokenizer.count("a a a a a a red red red")).isEqualTo(11);
    assertThat(tokenizer.count("a ".repeat(100))).isEqualTo(102);
  }

  @Test
  void equalIdsAreEqualTokens() {
    assertThat(tokenizer.encode("a red circle")).isEqualTo(tokenizer.encode("A RED  circle"));
    assertThat(tokenizer.encode("a red circle")).isNotEqualTo(tokenizer.encode("a red square"));
  }

  @Test
  void textOfTokensDoesNotTellThePrompt() {
    assertThat(tokenizer.encode("a red circle")).hasToString("5 tokens");
  }

  @Test
  void refusesWhatIsNoTokenizer() {
    byte[] broken = "{\"model\":1}".getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> PromptTokenizer.parse(broken, 8))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("tokenizer.json");
    assertThatThrownBy(() -> PromptTokenizer.parse(broken, 0))
        .hasMessage("maxTokens=0: must be at least 1");
  }
}
