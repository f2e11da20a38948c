package io.servedrift.monitors.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.demo.ScenePrompts.ScenePrompt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ScenePromptsTest {
  private static final Path TOKENIZER = Path.of("../serving/models/scenes/tokenizer.json");
  private static final int DRAWN = 4000;

  private static List<ScenePrompt> drawn(long seed) {
    ScenePrompts prompts = new ScenePrompts(seed, .6);
    SplittableRandom random = new SplittableRandom(7);
    List<ScenePrompt> drawn = new ArrayList<>();
    for (int i = 0; i < DRAWN; i++) {
      drawn.add(prompts.draw(random));
    }
    return drawn;
  }

  @Test
  void usesOnlyWordsThatTheModelKnows() throws IOException {
    JsonNode vocabulary = new ObjectMapper().readTree(TOKENIZER.toFile()).at("/model/vocab");
    Set<String> unknown = new HashSet<>();
    for (ScenePrompt prompt : drawn(1)) {
      for (String word : prompt.text().replace(",", " ,").split(" ", -1)) {
        if (!vocabulary.has(word)) {
          unknown.add(word);
        }
      }
    }
    assertThat(vocabulary.size()).isGreaterThan(30);
    assertThat(unknown).isEmpty();
  }

  @Test
  void asksForMostPromptsAgain() {
    Map<String, Integer> times = new HashMap<>();
    drawn(1).forEach(prompt -> times.merge(prompt.text(), 1, Integer::sum));
    List<Integer> popular = times.values().stream().filter(n -> n > 20).toList();

    assertThat(popular).hasSize(40);
    // Of 4000, each of the 40 is drawn 60 times; the standard deviation of the sum is 31.
    assertThat(popular.stream().mapToInt(Integer::intValue).sum()).isCloseTo(2400, within(124));
  }

  @Test
  void hasThreeClassesOfDifferentLength() {
    Map<String, List<Integer>> lengths = new HashMap<>();
    drawn(2)
        .forEach(
            prompt ->
                lengths
                    .computeIfAbsent(prompt.promptClass(), c -> new ArrayList<>())
                    .add(prompt.text().split(" ", -1).length));
    assertThat(lengths).containsOnlyKeys("one", "pair", "scene");
    assertThat(mean(lengths.get("pair"))).isGreaterThan(mean(lengths.get("one")) + 3);
    assertThat(mean(lengths.get("scene"))).isGreaterThan(mean(lengths.get("pair")) + 6);
  }

  private static double mean(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).average().orElseThrow();
  }

  @Test
  void repeatsItself_whenTheSeedIsTheSame() {
    assertThat(drawn(3)).isEqualTo(drawn(3)).isNotEqualTo(drawn(4));
  }
}
