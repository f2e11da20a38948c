package io.servedrift.serving.score.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.serving.score.Fixtures;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScoreRequestReaderTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ScoreLimits LIMITS =
      new ScoreLimits(
          60_000, 3, 10_000, 20_000, 50, 2, 120_000, Duration.ofSeconds(1), Duration.ofSeconds(1));

  private static ScoreRequestReader reader(boolean publishes) {
    return new ScoreRequestReader(LIMITS, "small", publishes);
  }

  private static ApiException refusal(ScoreRequestReader reader, String body) {
    return catchThrowableOfType(
        ApiException.class, () -> reader.read(body.getBytes(StandardCharsets.UTF_8)));
  }

  private static String base64(String file) {
    return Base64.getEncoder().encodeToString(Fixtures.bytes(file));
  }

  @Test
  void readsEveryField() throws ApiException {
    String body =
        "{\"embedding\":true,\"model\":\"small\",\"items\":[{\"prompt\":\"a star\",\"image\":\""
            + base64("64x48.png")
            + "\",\"deployment\":\"d\",\"request_id\":\"r\"}]}";
    ScoreRequest request = reader(true).read(body.getBytes(StandardCharsets.UTF_8));

    assertThat(request.embedding()).isTrue();
    assertThat(request.single()).isFalse();
    assertThat(request.items()).hasSize(1);
    ScoreRequest.Item item = request.items().get(0);
    assertThat(item.target()).isEqualTo(new ScoreRequest.Target("d", "r"));
    assertThat(item.input().prompt()).isEqualTo("a star");
    assertThat(item.input().image().width()).isEqualTo(64);
    assertThat(item.input().image().height()).isEqualTo(48);
    assertThat(item.input().image().rgb()).isEqualTo(Fixtures.image("64x48.png").rgb());
  }

  /** In a body {@code IMG} stands for a good image, {@code LONG} for 51 characters. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "null",
      value = {
        "not json|400|invalid_json|null",
        "[]|400|invalid_json|null",
        "{} {}|400|invalid_json|null",
        "{\"prompt\":\"a\",\"prompt\":\"b\"}|400|invalid_json|null",
        "[[[[[[[[[[[[[[]]]]]]]]]]]]]]|400|invalid_json|null",
        "{}|400|invalid_value|prompt",
        "{\"prompt\":\"a\"}|400|invalid_value|image",
        "{\"prompt\":\"a\",\"image\":7}|400|invalid_value|image",
        "{\"prompt\":\"a\",\"image\":\"!!\"}|400|invalid_value|image",
        "{\"prompt\":\"a\",\"image\":\"R0lGODlh\"}|400|invalid_value|image",
        "{\"prompt\":\" \",\"image\":\"IMG\"}|400|invalid_value|prompt",
        "{\"prompt\":7,\"image\":\"IMG\"}|400|invalid_value|prompt",
        "{\"prompt\":\"LONG\",\"image\":\"IMG\"}|400|invalid_value|prompt",
        "{\"prompt\":\"a\",\"image\":\"IMG\",\"embeding\":true}|400|invalid_value|embeding",
        "{\"prompt\":\"a\",\"image\":\"IMG\",\"embedding\":1}|400|invalid_value|embedding",
        "{\"prompt\":\"a\",\"image\":\"IMG\",\"model\":\"x\"}|404|model_not_found|model",
        "{\"prompt\":\"a\",\"image\":\"IMG\",\"deployment\":\"d\"}|400|invalid_value|request_id",
        "{\"prompt\":\"a\",\"image\":\"IMG\",\"request_id\":\"r\"}|400|invalid_value|deployment",
        "{\"items\":[]}|400|invalid_value|items",
        "{\"items\":{}}|400|invalid_value|items",
        "{\"items\":[1]}|400|invalid_value|items[0]",
        "{\"items\":[{},{},{},{}]}|400|invalid_value|items",
        "{\"items\":[],\"prompt\":\"a\"}|400|invalid_value|prompt",
        "{\"items\":[{\"prompt\":\"a\",\"image\":\"IMG\"},{\"prompt\":\"a\"}]}|400|invalid_value|items[1].image",
        "{\"items\":[{\"prompt\":\"a\",\"image\":\"IMG\",\"x\":1}]}|400|invalid_value|items[0].x",
      })
  void answersLikeOpenAi_whenBodyIsWrong(
      String body, int status, String code, @Nullable String param) {
    String sent = body.replace("IMG", base64("64x64.png")).replace("LONG", "x".repeat(51));

    ApiException refusal = refusal(reader(true), sent);

    assertThat(refusal.status()).isEqualTo(status);
    JsonNode error = refusal.json().path("error");
    assertThat(error.path("code").asText()).isEqualTo(code);
    assertThat(error.path("param").textValue()).isEqualTo(param);
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(error.path("message").asText()).isNotEmpty().doesNotContain("xxx");
  }

  @Test
  void refuses_whenImageHasTooManyBytes() {
    String large = "A".repeat(13_340);
    ApiException refusal = refusal(reader(true), "{\"prompt\":\"a\",\"image\":\"" + large + "\"}");

    assertThat(refusal).hasMessage("image: must be at most 10000 bytes");
  }

  @Test
  void refuses_whenImagesTogetherHaveTooManyPixels() {
    // 6767 pixels each: the third goes over 20,000 together.
    ObjectNode body = JSON.createObjectNode();
    for (int i = 0; i < 3; i++) {
      body.withArray("items")
          .add(JSON.createObjectNode().put("prompt", "a").put("image", base64("101x67.png")));
    }

    assertThat(refusal(reader(true), body.toString()))
        .hasMessage(
            "items[2].image: 101x67 pixels; must be at most 6466, what is left for this post");
  }
}
