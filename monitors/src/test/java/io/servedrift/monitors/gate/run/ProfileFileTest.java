package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.gate.Modality;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProfileFileTest {
  private static Declaration parse(String yaml) throws GateInputException {
    return ProfileFile.parse(yaml.getBytes(StandardCharsets.UTF_8), "p.yaml");
  }

  @Test
  void readsWhatIsDeclared() throws GateInputException {
    Declaration declared =
        parse(
            """
            modality: chat
            seed: true
            cache_bypass: true
            batches: false
            devices: 2
            model_name: m
            send:
              always: {user: gate}
              recompute: {cache_salt: x}
            config: {runtime: {name: vllm, version: "0.11"}}
            model: {name: m, weights_digest: "sha256:ab"}
            """);

    assertThat(declared.profile().modality()).isEqualTo(Modality.CHAT);
    assertThat(declared.profile().seed()).isTrue();
    assertThat(declared.profile().batches()).isFalse();
    assertThat(declared.profile().deterministic()).isFalse();
    assertThat(declared.profile().weightsDigest()).isTrue();
    assertThat(declared.profile().devices()).isEqualTo(2);
    assertThat(declared.recompute()).isNotNull();
    assertThat(declared.recompute().path("cache_salt").asText()).isEqualTo("x");
    assertThat(declared.config()).isNotNull();
    assertThat(declared.config().at("/runtime/version").asText()).isEqualTo("0.11");
  }

  @Test
  void saysAllThatIsWrong() {
    assertThatThrownBy(
            () ->
                parse(
                    """
                    modality: sound
                    seeds: true
                    seed: maybe
                    devices: 0
                    cache_bypass: true
                    flush: true
                    config: 3
                    send: {allways: {}}
                    """))
        .isInstanceOf(GateInputException.class)
        .message()
        .contains("modality=sound: must be image or chat")
        .contains("seeds: is not known; did you mean seed?")
        .contains("seed: must be true or false")
        .contains("devices: must be a whole number from 1")
        .contains("cache_bypass: needs send.recompute")
        .contains("flush: needs flush_path")
        .contains("config: must be a map")
        .contains("did you mean send.always?");
  }

  @Test
  void refusesWhatIsNoYaml() {
    assertThatThrownBy(() -> parse("a: [")).hasMessageContaining("p.yaml: not YAML");
    assertThatThrownBy(() -> parse("- a")).hasMessageContaining("p.yaml: must be a map");
    assertThatThrownBy(() -> parse("seed: true\nseed: false")).hasMessageContaining("not YAML");
  }
}
