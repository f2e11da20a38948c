package io.servedrift.serving.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.serving.generation.ImageOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScorerModelTest {

  /** Between eager torch 1.13 and TorchScript in 2.7 a few units in the last place of a float. */
  private static final double FLOAT_ROUNDING = 1e-5;

  @TempDir private Path temporary;

  @ParameterizedTest
  @ValueSource(strings = {"small", "vit"})
  void givesTorchsScores_whenScored(String name) throws IOException {
    List<ScoreInput> inputs = new ArrayList<>();
    List<JsonNode> cases = new ArrayList<>();
    for (JsonNode one : Fixtures.expected().path(name)) {
      cases.add(one);
      inputs.add(
          new ScoreInput(one.path("prompt").asText(), Fixtures.image(one.path("image").asText())));
    }
    assertThat(cases).hasSizeGreaterThanOrEqualTo(4);
    try (ScorerModel model = ScorerModel.load(Fixtures.path(name))) {
      List<ImageScores> together = model.score(inputs);
      assertThat(together).hasSameSizeAs(cases);
      for (int i = 0; i < cases.size(); i++) {
        assertMatches(together.get(i), cases.get(i));
        assertMatches(model.score(List.of(inputs.get(i))).get(0), cases.get(i));
      }
    }
  }

  private static void assertMatches(ImageScores scores, JsonNode expected) {
    String what = expected.path("image") + " " + expected.path("prompt");
    assertThat(scores.values()).containsOnlyKeys("clip", "aesthetic");
    assertThat(scores.values().get("clip"))
        .as(what)
        .isCloseTo(expected.path("clip").doubleValue(), within(FLOAT_ROUNDING));
    assertThat(scores.values().get("aesthetic"))
        .as(what)
        .isCloseTo(expected.path("aesthetic").doubleValue(), within(FLOAT_ROUNDING));
    assertThat(scores.embedding()).hasSize(expected.path("embedding").size());
    for (int i = 0; i < scores.embedding().length; i++) {
      assertThat((double) scores.embedding()[i])
          .isCloseTo(expected.path("embedding").get(i).doubleValue(), within(FLOAT_ROUNDING));
    }
  }

  @Test
  void namesItself_byNameAndDigest() throws IOException {
    String digest =
        new ObjectMapper()
            .readTree(Fixtures.path("small/scorer.json").toFile())
            .path("digest")
            .asText();
    try (ScorerModel model = ScorerModel.load(Fixtures.path("small"))) {
      String identity = "small@" + digest.substring("sha256:".length(), "sha256:".length() + 8);
      assertThat(model.scorers())
          .containsOnly(Map.entry("clip", identity), Map.entry("aesthetic", identity));
    }
  }

  @Test
  void computesTextOnce_whenPromptsRepeat() throws IOException {
    ScoreInput circle = new ScoreInput("a red circle", Fixtures.image("64x64.png"));
    // Beyond the tokens that the tower reads, prompts are the same to it.
    ScoreInput longer = new ScoreInput("a ".repeat(40), Fixtures.image("64x64.png"));
    ScoreInput longest = new ScoreInput("a ".repeat(90), Fixtures.image("64x64.png"));
    try (ScorerModel model = ScorerModel.load(Fixtures.path("small"))) {
      long before = model.textCacheMisses();
      ImageScores first = model.score(List.of(circle)).get(0);
      ImageScores again = model.score(List.of(circle)).get(0);
      model.score(List.of(longer));
      model.score(List.of(longest));

      assertThat(again.values()).isEqualTo(first.values());
      assertThat(model.textCacheMisses() - before).isEqualTo(2);
      assertThat(model.textCacheHits()).isEqualTo(2);
    }
  }

  @Test
  void loadsTheShippedScorer() throws IOException {
    ImageOutput circle = redCircle();
    try (ScorerModel model = ScorerModel.load(Path.of("models/clip-scenes"))) {
      List<Double> clip =
          Stream.of("a red circle", "a blue circle", "two green stars on a black background")
              .map(prompt -> model.score(List.of(new ScoreInput(prompt, circle))).get(0))
              .map(scores -> scores.values().getOrDefault("clip", Double.NaN))
              .toList();

      // Right minus wrong is 0.63 on average, see the model card.
      assertThat(clip.get(0)).isGreaterThan(clip.get(1) + 0.1).isGreaterThan(clip.get(2) + 0.3);
    }
  }

  /** On white, as the model's world draws it. */
  private static ImageOutput redCircle() {
    byte[] rgb = new byte[64 * 64 * 3];
    for (int i = 0; i < 64 * 64; i++) {
      boolean inside = Math.hypot(i % 64 - 31.5, Math.floorDiv(i, 64) - 31.5) < 11;
      rgb[3 * i] = (byte) (inside ? 220 : 245);
      rgb[3 * i + 1] = (byte) (inside ? 40 : 245);
      rgb[3 * i + 2] = (byte) (inside ? 40 : 245);
    }
    return new ImageOutput(64, 64, rgb);
  }

  @Test
  void refuses_whenClosed() throws IOException {
    ScorerModel model = ScorerModel.load(Fixtures.path("small"));
    model.close();
    model.close();

    assertThatIllegalStateException()
        .isThrownBy(() -> model.score(List.of(new ScoreInput("a", Fixtures.image("64x64.png")))))
        .withMessage("the scorer is closed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"format\": 1|\"format\": 2|format 2: must be 1",
        "\"name\": \"small\"|\"name\": \"a b\"|name \"a b\": must be letters",
        "bicubic|bilinear|resize \"bilinear\": must be bicubic",
        "\"size\": 64|\"size\": 4096|size 4096: must be between 8 and 1024",
        "image.pt|../image.pt|files.image \"../image.pt\": must be a file name",
        "\"max_tokens\": 12|\"max_tokens\": \"12\"|max_tokens \"12\": must be between 2 and 4096",
        "\"embedding\": 8|\"embedding\": 9|image.pt gave [1, 8]: must be [1, 9]",
        "\"digest\": \"sha256:|\"digest\": \"md5:|sha256: and 64 hex digits",
        "\"aesthetic\": \"aesthetic.pt\"|\"other\": \"aesthetic.pt\"|must have [image, text, aesthetic]",
      })
  void tellsWhatIsWrong_whenManifestIs(String text, String instead, String message)
      throws IOException {
    Path directory = copy();
    Path manifest = directory.resolve("scorer.json");
    String json = Files.readString(manifest);
    assertThat(json).contains(text);
    Files.writeString(manifest, json.replace(text, instead));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ScorerModel.load(directory))
        .withMessageContaining(message);
  }

  @Test
  void tellsEveryProblem_whenFilesDiffer() throws IOException {
    Path directory = copy();
    Files.write(directory.resolve("image.pt"), Fixtures.bytes("small/text.pt"));
    Files.delete(directory.resolve("tokenizer.json"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ScorerModel.load(directory))
        .withMessageContaining("image.pt has sha256 ")
        .withMessageContaining("tokenizer.json is missing");
  }

  @Test
  void refuses_whenDigestIsOfOtherFiles() throws IOException {
    Path directory = copy();
    Path manifest = directory.resolve("scorer.json");
    String json = Files.readString(manifest);
    int digest = json.indexOf("sha256:") + "sha256:".length();
    Files.writeString(
        manifest, json.substring(0, digest) + "0".repeat(64) + json.substring(digest + 64));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ScorerModel.load(directory))
        .withMessageContaining("the files give sha256:" + json.substring(digest, digest + 64));
  }

  @Test
  void refuses_whenThereIsNoSuchDevice() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ScorerModel.load(Fixtures.path("small"), "tpu"))
        .withMessage("device=tpu: must be auto, cpu, gpu or gpu:N");
  }

  private Path copy() throws IOException {
    try (Stream<Path> files = Files.list(Fixtures.path("small"))) {
      for (Path file : files.toList()) {
        Files.copy(file, temporary.resolve(file.getFileName()));
      }
    }
    return temporary;
  }
}
