package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which test decides a finding, on which prompts, and what is kept of it. */
class FindingTestTest {
  private static final List<String> HASHES = Arrays.asList("h0", "h1", null, "h3");

  private static JsonNode finding(String state, String cause, String metric) throws IOException {
    return new ObjectMapper()
        .readTree(
            """
            {"finding_id":"f-1","state":"STATE","metric":"METRIC","verdict":{"cause":"CAUSE"},
             "next_test":{"what":"same requests with the cache off"},
             "exemplars":[{"request_id":"r-1","role":"healthy"},
               {"request_id":"r-2","role":"blamed"},{"request_id":"r-3","role":"blamed"},
               {"request_id":"r-4","role":"blamed","prompt_hash":"h0"},
               {"request_id":"r-5","role":"blamed"}]}
            """
                .replace("STATE", state)
                .replace("CAUSE", cause)
                .replace("METRIC", metric));
  }

  @Test
  void matchesPromptsByTheirHash_blamedFirst_andCountsTheRest() throws IOException {
    Map<String, String> traffic = Map.of("r-1", "h1", "r-2", "h3", "r-3", "elsewhere");

    FindingTest test = FindingTest.of(finding("open", "cache", "clip"), traffic, HASHES);

    assertThat(test.prompts()).containsExactly(3, 0, 1);
    assertThat(test.exemplars()).isEqualTo(5);
    assertThat(test.unmatched()).isEqualTo(1);
    assertThat(test.unhashed()).isEqualTo(1);
    assertThat(test.question()).isEqualTo("same requests with the cache off");
    assertThat(FindingTest.requests(finding("open", "cache", "clip")))
        .containsExactly("r-2", "r-3", "r-4", "r-5", "r-1");
  }

  @ParameterizedTest
  @CsvSource({
    "cache, clip, cache_parity",
    "batching, clip, batch_composition",
    "batching, latency, batch_composition p99_under_load",
    "cache, stage:denoise, cache_parity p99_under_load",
    "scheduling, queue, p99_under_load",
    "model, clip, seed_parity proxy_drift",
    "unexplained, aesthetic, seed_parity proxy_drift",
    "inconclusive, clip, seed_parity batch_composition cache_parity",
    "traffic_mix, latency, ''",
    "scorer_change, clip, ''",
  })
  void causeNamesTheChecks(String cause, String metric, String checks) throws IOException {
    Set<String> expected =
        Arrays.stream(checks.split(" "))
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toSet());
    FindingTest test = FindingTest.of(finding("open", cause, metric), Map.of(), HASHES);
    assertThat(test.checks().stream().map(CheckName::label).collect(Collectors.toSet()))
        .isEqualTo(expected);
  }

  @Test
  void keepsTheLinesThatShowedIt() throws IOException {
    JsonNode closed = finding("closed", "cache", "clip");

    assertThat(RegressionCase.lines(closed, "a red circle\n\n  two stars \n", List.of(1, 0)))
        .containsExactly(
            "{\"prompt\":\"two stars\",\"case\":\"f-1\"}",
            "{\"prompt\":\"a red circle\",\"case\":\"f-1\"}");
    assertThat(
            RegressionCase.lines(
                closed, "{\"prompt\":\"a\",\"seed\":7}\n{\"prompt\":\"b\"}\n", List.of(0)))
        .containsExactly("{\"prompt\":\"a\",\"seed\":7,\"case\":\"f-1\"}");
  }

  @Test
  void keepsNothingThatIsNotOver_norOfWhichNoPromptIsKnown() throws IOException {
    JsonNode open = finding("open", "cache", "clip");
    assertThatThrownBy(() -> RegressionCase.lines(open, "a secret prompt", List.of(0)))
        .hasMessage("finding f-1 is open: must be closed to be kept as a case");
    JsonNode closed = finding("closed", "cache", "clip");
    assertThatThrownBy(() -> RegressionCase.lines(closed, "a secret prompt", List.of()))
        .hasMessageContaining("nothing to keep");
    assertThatThrownBy(() -> RegressionCase.lines(closed, "{\"secret\": prompt}", List.of(0)))
        .hasMessage("prompt 0: is not one JSON object");
  }
}
