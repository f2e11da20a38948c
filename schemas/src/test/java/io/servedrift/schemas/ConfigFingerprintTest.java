package io.servedrift.schemas;

import static io.servedrift.schemas.Given.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Vectors computed by another program: Python's json (sorted keys, no blanks) and hashlib. */
class ConfigFingerprintTest {
  static Stream<Arguments> vectors() {
    JsonNode all = StrictJson.trusted(Given.resource("fingerprint/vectors.json"));
    return StreamSupport.stream(all.spliterator(), false)
        .map(v -> Arguments.of(v.get("name").textValue(), v));
  }

  private static Fingerprint of(JsonNode vector, JsonNode given) {
    return vector.get("kind").textValue().equals("model")
        ? ConfigFingerprint.ofModel(given)
        : ConfigFingerprint.ofConfig(given);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("vectors")
  void agreesWithVector(String name, JsonNode vector) {
    Fingerprint f = of(vector, vector.get("given"));
    assertThat(f.counted()).isEqualTo(CanonicalJson.of(vector.get("counted")));
    assertThat(f.notCounted()).isEqualTo(CanonicalJson.of(vector.get("not_counted")));
    assertThat(f.dropped())
        .containsExactlyElementsOf(
            StreamSupport.stream(vector.get("dropped").spliterator(), false)
                .map(JsonNode::textValue)
                .toList());
    assertThat(f.id()).isEqualTo(vector.get("id").textValue());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("vectors")
  void doesNotDependOnOrder(String name, JsonNode vector) {
    assertThat(of(vector, reversed(vector.get("given"))).id())
        .isEqualTo(vector.get("id").textValue());
  }

  private static JsonNode reversed(JsonNode node) {
    if (!(node instanceof ObjectNode object)) {
      return node;
    }
    List<Map.Entry<String, JsonNode>> members = new ArrayList<>(object.properties());
    ObjectNode reversed = JsonNodeFactory.instance.objectNode();
    for (int i = members.size() - 1; i >= 0; i--) {
      reversed.set(members.get(i).getKey(), reversed(members.get(i).getValue()));
    }
    return reversed;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("vectors")
  void givesTheSame_whenFingerprintedAgain(String name, JsonNode vector) {
    Fingerprint first = of(vector, vector.get("given"));
    ObjectNode merged = (ObjectNode) StrictJson.trusted(first.counted());
    EventJson.mergeTree(merged, (ObjectNode) StrictJson.trusted(first.notCounted()));
    Fingerprint again = of(vector, merged);
    assertThat(again.id()).isEqualTo(first.id());
    assertThat(again.counted()).isEqualTo(first.counted());
    assertThat(again.notCounted()).isEqualTo(first.notCounted());
    assertThat(again.dropped()).isEmpty();
  }

  @Test
  void changesWithEveryNamedLeaf() {
    JsonNode full =
        StrictJson.trusted(Given.resource("fingerprint/vectors.json")).get(0).get("given");
    String id = ConfigFingerprint.ofConfig(full).id();
    List<String> pointers = new ArrayList<>();
    leaves(full, "", pointers);
    assertThat(pointers).hasSize(42);
    for (String pointer : pointers) {
      ObjectNode changed = full.deepCopy();
      int cut = pointer.lastIndexOf('/');
      ((ObjectNode) changed.at(pointer.substring(0, cut)))
          .put(pointer.substring(cut + 1), "changed");
      assertThat(ConfigFingerprint.ofConfig(changed).id()).as(pointer).isNotEqualTo(id);
    }
  }

  private static void leaves(JsonNode node, String at, List<String> into) {
    if (node.isObject()) {
      node.properties().forEach(e -> leaves(e.getValue(), at + "/" + e.getKey(), into));
    } else {
      into.add(at);
    }
  }

  @Test
  void refusesWhatHasNoCanonicalForm() {
    assertThatThrownBy(() -> ConfigFingerprint.ofConfig(json("[]")))
        .hasMessage("config: must be an object");
    JsonNode nan = JsonNodeFactory.instance.objectNode().put("colour", Double.NaN);
    assertThatThrownBy(() -> ConfigFingerprint.ofConfig(nan))
        .hasMessage("colour=NaN: must be finite");
    JsonNode half = JsonNodeFactory.instance.objectNode().put("colour", "\ud83d");
    assertThatThrownBy(() -> ConfigFingerprint.ofConfig(half))
        .hasMessageContaining("half a character");
    JsonNode deep = json("{'extra':" + "{'a':".repeat(40) + "1" + "}".repeat(40) + "}");
    assertThatThrownBy(() -> ConfigFingerprint.ofConfig(deep))
        .hasMessageContaining("at most 32 levels");
    JsonNode deepList = json("{'extra':" + "[".repeat(40) + "1" + "]".repeat(40) + "}");
    assertThatThrownBy(() -> ConfigFingerprint.ofConfig(deepList))
        .hasMessageContaining("at most 32 levels");
    JsonNode deepObjects = json("{'extra':" + "[{'a':".repeat(20) + "1" + "}]".repeat(20) + "}");
    assertThatThrownBy(() -> ConfigFingerprint.ofConfig(deepObjects))
        .hasMessageContaining("at most 32 levels");
    JsonNode large = JsonNodeFactory.instance.objectNode().put("colour", "x".repeat(70_000));
    assertThatThrownBy(() -> ConfigFingerprint.ofConfig(large))
        .hasMessageContaining("at most 65536 characters");
  }
}
