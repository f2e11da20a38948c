package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.gate.AnswerStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChatDialectTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final ChatDialect dialect = new ChatDialect(Given.chat());

  private static GatePrompt warm() {
    return new GatePrompt(
        0, "hello", null, null, "be kind", null, null, null, null, null, .7, 9, null, null);
  }

  private JsonNode body(Dialect.Mode mode) throws IOException {
    return JSON.readTree(dialect.call(warm(), 5, mode, "r").body());
  }

  private static Reply reply(String text, Reply.Mark... marks) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    return new Reply(AnswerStatus.OK, null, body, 900, List.of(marks));
  }

  private static String chunk(String content, String more) {
    return "data: {\"choices\":[{\"delta\":{\"content\":\""
        + content
        + "\"}"
        + more
        + "}]}\r\n\r\n";
  }

  @Test
  void asksAtTemperatureZero_unlessItIsProduction() throws IOException {
    assertThat(body(Dialect.Mode.CLEAN).path("temperature").asDouble(-1)).isZero();
    assertThat(body(Dialect.Mode.CLEAN).path("use_cache").asBoolean(true)).isFalse();
    assertThat(body(Dialect.Mode.CACHED).path("temperature").asDouble(-1)).isZero();
    assertThat(body(Dialect.Mode.CACHED).has("use_cache")).isFalse();
    JsonNode production = body(Dialect.Mode.PRODUCTION);
    assertThat(production.path("temperature").asDouble()).isEqualTo(.7);
    assertThat(production.path("seed").asInt()).isEqualTo(5);
    assertThat(production.path("max_tokens").asInt()).isEqualTo(9);
    assertThat(production.path("stream").asBoolean()).isTrue();
    assertThat(production.at("/messages/0/role").asText()).isEqualTo("system");
    assertThat(production.at("/messages/1/content").asText()).isEqualTo("hello");
  }

  @Test
  void readsAStream_withTheTimeOfItsFirstToken() {
    String role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n";
    String first = chunk("Hé", "");
    String last = chunk(" you", ",\"finish_reason\":\"stop\"");
    String usage =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens_details\":{\"cached_tokens\":16}}}\n\n";
    int roleEnd = role.length();
    int firstEnd = roleEnd + first.getBytes(StandardCharsets.UTF_8).length;
    AnswerContent read =
        dialect.read(
            reply(
                role + first + last + usage + "data: [DONE]\n\n",
                new Reply.Mark(roleEnd, 100),
                new Reply.Mark(firstEnd, 250),
                new Reply.Mark(10_000, 900)),
            true);

    assertThat(read.error()).isNull();
    assertThat(read.text()).isEqualTo("Hé you");
    assertThat(read.tokens()).containsExactly("Hé", "you");
    assertThat(read.firstTokenNanos()).isEqualTo(250);
    assertThat(read.served().cacheHit()).isTrue();
    assertThat(read.digest()).isEqualTo(Digests.of("Hé you"));
  }

  @Test
  void readsAnAnswerThatIsNotStreamed() {
    String text = " {\"choices\":[{\"message\":{\"content\":\"yes\"}}]}";
    AnswerContent read = dialect.read(reply(text), true);

    assertThat(read.text()).isEqualTo("yes");
    assertThat(read.firstTokenNanos()).isNull();
    assertThat(read.served().cacheHit()).isNull();
  }

  @Test
  void refusesWhatIsNoAnswer() {
    assertThat(dialect.read(reply(chunk("cut", "")), true).error()).isEqualTo("cut_off");
    assertThat(dialect.read(reply("data: {\"error\":{}}\n"), true).error())
        .isEqualTo("error_in_stream");
    assertThat(dialect.read(reply("data: {oops\n"), true).error()).isEqualTo("not_json");
    assertThat(dialect.read(reply("data: [DONE]\n"), true).error()).isEqualTo("no_text");
    assertThat(dialect.read(reply("{\"choices\":[]}"), true).error()).isEqualTo("no_text");
    assertThat(dialect.read(reply("<html>"), true).error()).isEqualTo("cut_off");
    assertThat(dialect.read(reply(""), true).error()).isEqualTo("cut_off");
  }
}
