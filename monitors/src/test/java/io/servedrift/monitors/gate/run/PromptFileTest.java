package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PromptFileTest {
  @TempDir private Path folder;

  @Test
  void readsOnePromptPerLine() throws GateInputException {
    List<GatePrompt> prompts = PromptFile.parse("a cat\n\n  a dog \n", "p.txt");

    assertThat(prompts).extracting(GatePrompt::text).containsExactly("a cat", "a dog");
    assertThat(prompts).extracting(GatePrompt::index).containsExactly(0, 1);
  }

  @Test
  void readsAllMembers() throws GateInputException {
    String line =
        "{\"prompt\":\"2+2?\",\"class\":\"maths\",\"system\":\"s\",\"negative_prompt\":\"n\","
            + "\"size\":\"64x96\",\"steps\":8,\"seed\":5,\"temperature\":0.7,\"max_tokens\":9,"
            + "\"shared_prefix\":\"g\",\"expected\":{\"answer\":\"4\"},\"case\":\"f-1\"}";
    GatePrompt prompt = PromptFile.parse(line, "p").get(0);

    assertThat(prompt.promptClass()).isEqualTo("maths");
    assertThat(prompt.width()).isEqualTo(64);
    assertThat(prompt.height()).isEqualTo(96);
    assertThat(prompt.steps()).isEqualTo(8);
    assertThat(prompt.seed()).isEqualTo(5);
    assertThat(prompt.temperature()).isEqualTo(.7);
    assertThat(prompt.maxTokens()).isEqualTo(9);
    assertThat(prompt.sharedPrefix()).isEqualTo("g");
    assertThat(prompt.expected()).isEqualTo(new Expectation.Exact("4"));
  }

  @Test
  void saysAllThatIsWrong_quotingNoPrompt() {
    String text =
        """
        {"prompt":"secret","sed":1}
        {"prompt":"secret","size":"big","steps":0}
        {"prompt":" "}
        {secret
        {"prompt":"secret","expected":{"regex":"("}}
        {"prompt":"secret","expected":{"json_schema":{"oneOf":[]}}}
        """;

    assertThatThrownBy(() -> PromptFile.parse(text, "p.ndjson"))
        .isInstanceOf(GateInputException.class)
        .message()
        .contains("p.ndjson:1: sed is not known")
        .contains("p.ndjson:2: size must be WIDTHxHEIGHT")
        .contains("p.ndjson:2: steps must be a whole number from 1")
        .contains("p.ndjson:3: prompt must be given")
        .contains("p.ndjson:4: is not one JSON object")
        .contains("p.ndjson:5: expected.regex must be a regular expression")
        .contains("p.ndjson:6: expected schema.oneOf: must be one of")
        .doesNotContain("secret");
  }

  @Test
  void limitsWhatItReads() {
    assertThatThrownBy(() -> PromptFile.parse("x".repeat(PromptFile.MAX_LINE + 1), "p"))
        .hasMessageContaining("p:1: is 65537 long, must be at most 65536");
    assertThatThrownBy(() -> PromptFile.parse("\n \n", "p"))
        .hasMessage("p: must hold at least one prompt");
    assertThatThrownBy(() -> PromptFile.parse("x\n".repeat(PromptFile.MAX_PROMPTS + 1), "p"))
        .hasMessageContaining("must hold at most 100000 prompts");
  }

  @Test
  void refusesWhatIsNotUtf8() throws Exception {
    Path file = folder.resolve("p");
    Files.write(file, new byte[] {(byte) 0xC3, 0x28});

    assertThatThrownBy(() -> PromptFile.read(file)).hasMessageContaining("must be UTF-8");
  }

  @Test
  void drawsInProportionToClasses() {
    List<GatePrompt> prompts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      prompts.add(inClass(i, i < 70 ? "a" : i < 99 ? "b" : "c"));
    }
    List<GatePrompt> drawn = PromptSample.of(prompts, 20, Map.of(), 1);

    // 14, 5.8 and .2 of 20: one of the rarest is kept all the same.
    assertThat(byClass(drawn)).isEqualTo(Map.of("a", 14L, "b", 5L, "c", 1L));
    assertThat(drawn).isEqualTo(PromptSample.of(prompts, 20, Map.of(), 1));
    assertThat(drawn).isNotEqualTo(PromptSample.of(prompts, 20, Map.of(), 2));
    assertThat(drawn).doesNotHaveDuplicates().isSortedAccordingTo(byIndex());
  }

  @Test
  void drawsInProportionToLiveTraffic_whenItIsKnown() {
    List<GatePrompt> prompts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      prompts.add(inClass(i, i < 50 ? "a" : "b"));
    }
    Map<String, Long> traffic = Map.of("a", 100L, "b", 300L, "unheard", 1000L);

    assertThat(byClass(PromptSample.of(prompts, 40, traffic, 1)))
        .isEqualTo(Map.of("a", 10L, "b", 30L));
    // There are no more than 50 of b.
    assertThat(byClass(PromptSample.of(prompts, 90, traffic, 1)))
        .isEqualTo(Map.of("a", 40L, "b", 50L));
  }

  private static java.util.Comparator<GatePrompt> byIndex() {
    return java.util.Comparator.comparingInt(GatePrompt::index);
  }

  private static Map<String, Long> byClass(List<GatePrompt> prompts) {
    return prompts.stream()
        .collect(Collectors.groupingBy(GatePrompt::stratum, Collectors.counting()));
  }

  private static GatePrompt inClass(int index, String name) {
    return new GatePrompt(
        index, "p" + index, null, name, null, null, null, null, null, null, null, null, null, null);
  }
}
