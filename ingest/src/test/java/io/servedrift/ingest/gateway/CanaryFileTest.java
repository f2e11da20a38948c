package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CanaryFileTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  private CanaryPrompts read(String name, String text) throws IOException {
    return CanaryFile.read(Files.writeString(folder.resolve(name), text));
  }

  private static Answer said(String text) throws IOException {
    Answer answer = new Answer();
    answer.read(
        JSON.createObjectNode()
            .set(
                "choices",
                JSON.createArrayNode()
                    .add(
                        JSON.createObjectNode()
                            .set("message", JSON.createObjectNode().put("content", text)))));
    return answer;
  }

  private static Answer painted(byte[] image) {
    Answer answer = new Answer();
    answer.read(
        JSON.createObjectNode()
            .set(
                "data",
                JSON.createArrayNode()
                    .add(
                        JSON.createObjectNode()
                            .put("b64_json", Base64.getEncoder().encodeToString(image)))));
    return answer;
  }

  @Test
  void readsYaml() throws IOException {
    CanaryPrompts prompts =
        read(
            "c.yaml",
            """
            - name: capital
              class: knowledge
              model: qwen
              prompt: Capital of France? One word.
              check: {answer: Paris}
            - name: sum
              path: /v1/completions
              body: {prompt: "2+2=", max_tokens: 2}
              check: {regex: "\\\\b4\\\\b"}
            """);
    assertThat(prompts.all()).extracting(Canary::name).containsExactly("capital", "sum");
    Canary capital = prompts.all().get(0);
    assertThat(capital.path()).isEqualTo("/v1/chat/completions");
    assertThat(capital.body().toString())
        .isEqualTo(
            "{\"model\":\"qwen\",\"temperature\":0,\"messages\":[{\"role\":\"user\",\"content\":"
                + "\"Capital of France? One word.\"}]}");
    assertThat(capital.check().scores(said(" paris. "))).isEqualTo(Map.of("answer_correct", 1.0));
    assertThat(capital.check().scores(said("Lyon"))).isEqualTo(Map.of("answer_correct", 0.0));
    Canary sum = prompts.all().get(1);
    assertThat(sum.check().scores(said("it is 4!"))).isEqualTo(Map.of("answer_correct", 1.0));
    assertThat(sum.check().scores(said("44"))).isEqualTo(Map.of("answer_correct", 0.0));
    assertThat(prompts.scorer()).matches("canaries@[0-9a-f]{8}");
  }

  @Test
  void readsNdjson_andChecksJsonAgainstItsSchema() throws IOException {
    CanaryPrompts prompts =
        read(
            "c.ndjson",
            "{\"name\":\"j\",\"prompt\":\"p\",\"check\":{\"json_schema\":{\"required\":[\"a\"]}}}\n\n");
    CanaryCheck check = prompts.all().get(0).check();
    assertThat(check.scores(said("{\"a\":1}")))
        .isEqualTo(Map.of("json_valid", 1.0, "schema_match", 1.0));
    assertThat(check.scores(said("{\"b\":1}")))
        .isEqualTo(Map.of("json_valid", 1.0, "schema_match", 0.0));
    assertThat(check.scores(said("{\"a\":1} and more")))
        .isEqualTo(Map.of("json_valid", 0.0, "schema_match", 0.0));
  }

  @Test
  void holdsImagesAgainstDigestAndReference() throws IOException {
    byte[] reference = gradient(Color.BLACK, Color.WHITE, 64, "png");
    Files.write(folder.resolve("ref.png"), reference);
    CanaryPrompts prompts =
        read(
            "c.yaml",
            "- {name: d, prompt: p, check: {image_sha256: "
                + CanonicalText.sha256(reference)
                + "}}\n- {name: r, prompt: p, check: {reference_image: ref.png}}\n");
    CanaryCheck digest = prompts.all().get(0).check();
    CanaryCheck like = prompts.all().get(1).check();
    assertThat(prompts.all().get(0).path()).isEqualTo("/v1/images/generations");
    assertThat(digest.scores(painted(reference))).isEqualTo(Map.of("image_match", 1.0));
    assertThat(like.scores(painted(reference))).isEqualTo(Map.of("image_distance", 0.0));
    byte[] larger = gradient(Color.BLACK, Color.WHITE, 200, "jpg");
    assertThat(digest.scores(painted(larger))).isEqualTo(Map.of("image_match", 0.0));
    assertThat(like.scores(painted(larger)).get("image_distance")).isLessThanOrEqualTo(4);
    byte[] turned = gradient(Color.WHITE, Color.BLACK, 64, "png");
    assertThat(like.scores(painted(turned)).get("image_distance")).isGreaterThanOrEqualTo(60);
    assertThat(like.scores(painted(new byte[] {1, 2, 3}))).isEmpty();
    assertThat(like.scores(new Answer())).isEmpty();
  }

  private static byte[] gradient(Color left, Color right, int side, String format)
      throws IOException {
    BufferedImage image = new BufferedImage(side, side, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setPaint(new GradientPaint(0, 0, left, side, 0, right));
    graphics.fillRect(0, 0, side, side);
    graphics.dispose();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    assertThat(ImageIO.write(image, format, bytes)).isTrue();
    return bytes.toByteArray();
  }

  @Test
  void reportsEveryProblemWithItsPlace() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                read(
                    "c.yaml",
                    """
                    - {name: a b, prompt: p, check: {answer: x}}
                    - {name: b, prompt: p, body: {}, check: {regex: "("}}
                    - {name: c, prompt: p, check: {answer: x, regex: y}, colour: red}
                    - {name: d, prompt: p, path: /v1/models, check: {image_sha256: abc}}
                    - {name: e, prompt: p, check: {reference_image: none.png}}
                    - just text
                    - {name: f, prompt: p, check: {answer: x}}
                    - {name: f, prompt: p, check: {answer: x}}
                    - {name: g, prompt: p, path: /v1/videos, check: {answer: x}}
                    """))
        .satisfies(
            e ->
                assertThat(e.getMessage().lines())
                    .hasSize(11)
                    .anyMatch(line -> line.contains("entry 9: path=/v1/videos"))
                    .anyMatch(line -> line.contains("entry 1: name=a b: must be 1 to 64"))
                    .anyMatch(line -> line.contains("entry 2: needs either prompt"))
                    .anyMatch(line -> line.contains("entry 2: regex: Unclosed group"))
                    .anyMatch(line -> line.contains("entry 3: colour: unknown"))
                    .anyMatch(line -> line.contains("entry 3: check: must have exactly one"))
                    .anyMatch(line -> line.contains("entry 4: path=/v1/models"))
                    .anyMatch(line -> line.contains("entry 4: image_sha256"))
                    .anyMatch(line -> line.contains("entry 5: reference_image=none.png"))
                    .anyMatch(line -> line.contains("entry 6: must be an object"))
                    .anyMatch(line -> line.contains("entry 8: name=f: given before")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("c.yaml", "- {name: ["))
        .withMessageContaining("line 1");
    assertThatIllegalArgumentException().isThrownBy(() -> read("c.yaml", "name: x"));
    assertThatIllegalArgumentException().isThrownBy(() -> read("c.ndjson", ""));
  }

  @Test
  void tellsAnotherFileByItsScorer() throws IOException {
    String text = "- {name: a, prompt: p, check: {answer: x}}\n";
    assertThat(read("c.yaml", text).scorer())
        .isNotEqualTo(read("d.yaml", text.replace("x}", "y}")).scorer());
  }
}
