package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class OutputProxiesTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void countsRepeatedFourGrams() {
    // 24 words, the same 4 six times: 21 4-grams, 4 of them different.
    assertThat(WordGrams.repetition("a b c d ".repeat(6))).isCloseTo(1 - 4.0 / 21, within(1e-12));
    StringBuilder different = new StringBuilder();
    for (int i = 0; i < 30; i++) {
      different.append(i).append(' ');
    }
    assertThat(WordGrams.repetition(different.toString())).isZero();
    // Only the first 4,096 words count: 4,093 4-grams, 4 of them different.
    assertThat(WordGrams.repetition("a b c d ".repeat(1_024) + different))
        .isCloseTo(1 - 4.0 / 4_093, within(1e-12));
    assertThat(WordGrams.repetition("too short to say")).isNull();
    assertThat(WordGrams.repetition(" \t")).isNull();
    // Aa and BB have one hash code; 20 words, 17 4-grams, of which AaAaAaAa is there 7 times.
    assertThat(WordGrams.repetition("Aa\n".repeat(10) + "BB\t ".repeat(10)))
        .isEqualTo(1 - 5 / 17.0);
  }

  private static Boolean matches(String schema, String document) throws IOException {
    JsonNode parsed = OutputProxies.document(document);
    return new SchemaMatch().matches(JSON.readTree(schema), parsed);
  }

  @Test
  void asksNobody_whenASchemaRefersElsewhere() throws Exception {
    try (RawUpstream elsewhere = new RawUpstream(call -> call.json(200, "{}"))) {
      String schema = "{\"$ref\":\"" + elsewhere.uri() + "/schema.json\"}";
      assertThat(matches(schema, "{}")).isNull();
      assertThat(elsewhere.heads).isEmpty();
    }
  }

  @Test
  void givesUp_onSchemasWithoutEnd() throws IOException {
    assertThat(matches("{\"$ref\":\"#\"}", "{}")).isNull();
    assertThat(matches("{\"pattern\":\"^(a|aa)+\\\\1c$\"}", "\"" + "a".repeat(40) + "b\""))
        .isNull();
  }

  @Test
  void resolvesReferencesWithinASchema() throws IOException {
    String schema =
        "{\"$defs\":{\"n\":{\"type\":\"integer\"}},\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"}}}";
    assertThat(matches(schema, "{\"a\":1}")).isTrue();
    assertThat(matches(schema, "{\"a\":\"x\"}")).isFalse();
  }

  @Property(tries = 200)
  void findsTheSameEvents_howeverAStreamIsCut(@ForAll @IntRange(min = 1, max = 40) int piece) {
    byte[] stream =
        "data: one\n\ndata:two\r\n\r\n: comment\nevent: x\ndata: three\ndata: four\r\r\ndata: cut"
            .getBytes(StandardCharsets.UTF_8);
    List<String> events = new ArrayList<>();
    EventStream reader =
        new EventStream(1_000, data -> events.add(new String(data, StandardCharsets.UTF_8)));
    for (int from = 0; from < stream.length; from += piece) {
      reader.add(ByteBuffer.wrap(stream, from, Math.min(piece, stream.length - from)));
    }
    assertThat(events).containsExactly("one", "two", "three\nfour");
    assertThat(reader.givenUp()).isFalse();
  }

  @Test
  void givesUp_onAnEventTooLong() {
    EventStream reader = new EventStream(10, data -> {});
    reader.add(ByteBuffer.wrap("data: 0123456789".getBytes(StandardCharsets.UTF_8)));
    assertThat(reader.givenUp()).isTrue();
  }
}
