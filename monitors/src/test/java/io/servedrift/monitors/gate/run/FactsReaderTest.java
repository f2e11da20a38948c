package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.AnswerStatus;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Side;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class FactsReaderTest {
  private static final String OWN_FORM = "{\"version\":\"0.5.6\",\"model_path\":\"m\"}";

  /** As a runtime's answer is read: the objects beside its own members. */
  private static JsonNode told(JsonNode answer) {
    ObjectNode objects = answer.deepCopy();
    objects.putObject("config").putObject("runtime").set("version", answer.get("version"));
    objects.putObject("model").set("name", answer.get("model_path"));
    return objects;
  }

  private static EndpointFacts facts(
      Map<String, String> answers, Declaration declared, UnaryOperator<JsonNode> told) {
    EndpointAccess access =
        new EndpointAccess(
            URI.create("http://h:1"), null, null, Duration.ofSeconds(1), 1 << 20, told);
    Caller caller =
        call -> {
          String body = answers.get(call.path());
          return CompletableFuture.completedFuture(
              body == null
                  ? Reply.failed(AnswerStatus.ERROR, "http_404", 0)
                  : new Reply(
                      AnswerStatus.OK, null, body.getBytes(StandardCharsets.UTF_8), 0, List.of()));
        };
    return new FactsReader(Side.OLD, access, caller, declared).read().facts();
  }

  @Test
  void readsARuntimesOwnAnswer_fromTheOlderPathToo() {
    EndpointFacts facts =
        facts(
            Map.of("/get_server_info", OWN_FORM),
            Declaration.none(Modality.IMAGE),
            FactsReaderTest::told);

    assertThat(facts.problems()).isEmpty();
    assertThat(facts.configId()).matches("[0-9a-f]{16}");
    assertThat(facts.config().at("/runtime/version").asText()).isEqualTo("0.5.6");
    assertThat(facts.model().path("name").asText()).isEqualTo("m");
  }

  @Test
  void takesTheOperatorsModel_whereTheRuntimeKnowsNoDigest() throws GateInputException {
    String profile = "modality: image\nmodel: {name: m, weights_digest: 'sha256:ab'}\n";
    Declaration declared = ProfileFile.parse(profile.getBytes(StandardCharsets.UTF_8), "p.yaml");

    EndpointFacts facts = facts(Map.of("/server_info", OWN_FORM), declared, FactsReaderTest::told);

    assertThat(facts.model().path("weights_digest").asText()).isEqualTo("sha256:ab");
    assertThat(facts.config().at("/runtime/version").asText()).isEqualTo("0.5.6");
  }

  @Test
  void keepsNoSecret_toldOrDeclared() throws GateInputException {
    String told =
        "{\"config\":{\"runtime\":{\"name\":\"x\"},\"extra\":{\"api_key\":\"sk-1\"}},"
            + "\"model\":{\"name\":\"m\",\"extra\":{\"hf_token\":\"sk-2\"}}}";
    EndpointFacts facts =
        facts(
            Map.of("/server_info", told),
            Declaration.none(Modality.IMAGE),
            UnaryOperator.identity());

    assertThat(facts.config().toString()).isEqualTo("{\"runtime\":{\"name\":\"x\"}}");
    assertThat(facts.model().toString()).isEqualTo("{\"name\":\"m\"}");

    String profile = "modality: image\nconfig: {runtime: {name: y}, extra: {api_key: sk-3}}\n";
    Declaration declared = ProfileFile.parse(profile.getBytes(StandardCharsets.UTF_8), "p.yaml");

    assertThat(facts(Map.of(), declared, UnaryOperator.identity()).config().toString())
        .isEqualTo("{\"runtime\":{\"name\":\"y\"}}");
  }

  @Test
  void keepsNothing_ofWhatTheFingerprintRefuses() {
    String told = "{\"config\":{\"extra\":{\"a\":\"" + "x".repeat(70_000) + "\"}}}";
    EndpointFacts facts =
        facts(
            Map.of("/server_info", told),
            Declaration.none(Modality.IMAGE),
            UnaryOperator.identity());

    assertThat(facts.config()).isNull();
    assertThat(facts.configId()).isNull();
    assertThat(facts.problems()).singleElement().asString().contains("65536");
  }

  @Test
  void believesNoStrangersCapabilities() {
    String told =
        "{\"config\":{\"runtime\":{\"name\":\"x\"}},"
            + "\"capabilities\":{\"cache\":false,\"batches\":false,\"cache_bypass\":true}}";
    Declaration nothing = Declaration.none(Modality.IMAGE);

    assertThat(facts(Map.of("/server_info", told), nothing, UnaryOperator.identity()).profile())
        .isEqualTo(nothing.profile());
  }

  @Test
  void isAProblem_whenNothingIsToldOrDeclared() {
    EndpointFacts facts =
        facts(
            Map.of("/server_info", OWN_FORM),
            Declaration.none(Modality.IMAGE),
            UnaryOperator.identity());

    assertThat(facts.configId()).isNull();
    assertThat(facts.problems())
        .containsExactly(
            "configuration: /server_info answered nothing that it is known by, and no profile"
                + " declares it");
  }
}
