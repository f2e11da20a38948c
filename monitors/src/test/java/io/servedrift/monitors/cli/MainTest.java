package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MainTest {

  private final CommandLineHarness harness = new CommandLineHarness();

  @Test
  void printsVersionOnStdout() {
    assertThat(harness.run("version")).isZero();
    assertThat(harness.out()).startsWith("servedrift ").contains("Kafka 4.");
    assertThat(harness.err()).isEmpty();
  }

  @Test
  void printsOneDocument_whenJsonIsAsked() throws IOException {
    assertThat(harness.run("version", "--json")).isZero();

    JsonNode document = new ObjectMapper().readTree(harness.out());
    assertThat(document.path("schema_version").asInt()).isEqualTo(1);
    assertThat(document.path("kafka").asText()).startsWith("4.");
  }

  @Test
  void failsWithUsage_whenCommandIsMissing() {
    assertThat(harness.run()).isEqualTo(2);
    assertThat(harness.out()).isEmpty();
    assertThat(harness.err()).contains("a command is missing", "servedrift --help");
  }

  @Test
  void suggestsTheCommandMeant_whenItIsMistyped() {
    assertThat(harness.run("vresion")).isEqualTo(2);
    assertThat(harness.err()).contains("Did you mean: servedrift version");
  }

  @Test
  void listsEveryExitCode_whenHelpIsAsked() {
    assertThat(harness.run("--help")).isZero();
    for (ExitCode code : ExitCode.values()) {
      assertThat(harness.out()).containsPattern("(?m)^ +" + code.code() + " +" + code.meaning());
    }
  }
}
