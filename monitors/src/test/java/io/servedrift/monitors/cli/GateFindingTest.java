package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.gate.testkit.EndpointFault;
import io.servedrift.monitors.gate.testkit.ImageNode;
import io.servedrift.monitors.gate.testkit.TestScorer;
import io.servedrift.schemas.PromptHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gate --finding}: from what the monitor found to the test of it. */
class GateFindingTest {
  private static final String NOBODY = "http://127.0.0.1:9";
  private static final String POLICY = "minimum_pairs: 5\noutputs: {identical_share: 0.5}\n";

  @TempDir private Path folder;
  private final CommandLineHarness harness = new CommandLineHarness();
  private Path key;
  private Path prompts;

  @BeforeEach
  void write() throws IOException {
    key = Files.writeString(folder.resolve("key"), "k".repeat(32));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      lines.append("secret prompt ").append(i).append('\n');
    }
    prompts = Files.writeString(folder.resolve("prompts.txt"), lines);
  }

  private Path findings(String state, String cause) throws IOException {
    return Files.writeString(
        folder.resolve("findings.ndjson"),
        """
        {"finding_id":"f-1","state":"STATE","metric":"clip","verdict":{"cause":"CAUSE"},\
        "next_test":{"what":"same requests with the cache off"},\
        "exemplars":[{"request_id":"r-1","role":"blamed"},{"request_id":"r-2","role":"healthy"},\
        {"request_id":"r-3","role":"blamed"}]}
        """
            .replace("STATE", state)
            .replace("CAUSE", cause));
  }

  /** Requests of which the first is a prompt of the file and the second is none. */
  private Path traffic() throws Exception {
    PromptHash hash = PromptHash.of(Files.readAllBytes(key));
    StringBuilder lines = new StringBuilder();
    for (String[] one :
        new String[][] {{"r-1", "secret prompt 7"}, {"r-2", "another"}, {"r-9", "x"}}) {
      lines
          .append("{\"type\":\"request\",\"request_id\":\"")
          .append(one[0])
          .append("\",\"deployment\":\"d\",\"finished_at\":\"2026-01-01T00:00:00Z\",")
          .append("\"status\":\"ok\",\"latency_seconds\":0.5,\"workload\":{\"prompt_hash\":\"")
          .append(hash.of(one[1]))
          .append("\"}}\n");
    }
    return Files.writeString(folder.resolve("traffic.ndjson"), lines);
  }

  private int gate(String old, String fresh, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of("gate", "--old", old, "--new", fresh, "--prompts", prompts.toString()));
    all.addAll(List.of(more));
    return harness.run(all.toArray(String[]::new));
  }

  @Test
  void decidesTheFinding_andKeepsItsPrompts() throws Exception {
    harness.environment("SERVEDRIFT_PROMPT_HASH_KEY_FILE", key.toString());
    Path kept = folder.resolve("case.ndjson");
    Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started();
        TestScorer scorer = TestScorer.started()) {
      fresh.faulty(EndpointFault.STALE_CACHE);
      gate(
          old.url(),
          fresh.url(),
          "--scorer",
          scorer.url(),
          "--policy",
          policy.toString(),
          "--traffic",
          traffic().toString(),
          "--finding",
          "f-1",
          "--findings",
          findings("closed", "cache").toString(),
          "--keep-case",
          kept.toString(),
          "--json");
    }

    JsonNode told = new ObjectMapper().readTree(harness.out()).path("finding");
    assertThat(told.path("finding_id").asText()).as(harness.err()).isEqualTo("f-1");
    assertThat(told.path("checks")).hasSize(1);
    assertThat(told.at("/checks/0").asText()).isEqualTo("cache_parity");
    assertThat(told.path("exemplars").asInt()).isEqualTo(3);
    assertThat(told.path("matched_prompts").asInt()).isEqualTo(1);
    assertThat(told.path("unmatched").asInt()).isEqualTo(1);
    assertThat(told.path("prompt_not_known").asInt()).isEqualTo(1);
    assertThat(harness.err())
        .contains("finding f-1, cause cache: same requests with the cache off")
        .doesNotContain("secret");
    assertThat(Files.readString(kept))
        .isEqualTo("{\"prompt\":\"secret prompt 7\",\"case\":\"f-1\"}\n");
  }

  @Test
  void needsTheKey_asFindingsKnowPromptsByTheirHash() throws IOException {
    int code =
        gate(
            NOBODY, NOBODY, "--finding", "f-1", "--findings", findings("open", "cache").toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("SERVEDRIFT_PROMPT_HASH_KEY_FILE");
  }

  @Test
  void saysSo_whenNoReplayDecidesTheCause() throws IOException {
    harness.environment("SERVEDRIFT_PROMPT_HASH_KEY_FILE", key.toString());
    int code =
        gate(
            NOBODY,
            NOBODY,
            "--finding",
            "f-1",
            "--findings",
            findings("open", "traffic_mix").toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("no replay decides the cause traffic_mix");
  }

  @Test
  void keepsNoFindingThatIsOpen_andNoneThatIsNotNamed() throws Exception {
    harness.environment("SERVEDRIFT_PROMPT_HASH_KEY_FILE", key.toString());
    Path kept = folder.resolve("case.ndjson");
    int code =
        gate(
            NOBODY,
            NOBODY,
            "--traffic",
            traffic().toString(),
            "--finding",
            "f-1",
            "--findings",
            findings("open", "cache").toString(),
            "--keep-case",
            kept.toString());
    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("finding f-1 is open: must be closed to be kept as a case");
    assertThat(kept).doesNotExist();

    assertThat(gate(NOBODY, NOBODY, "--keep-case", kept.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("--keep-case: needs --finding ID");
  }

  @Test
  void isRefused_whereNobodyIsAsked() {
    assertThat(harness.run("gate", "--judge", folder.toString(), "--finding", "f-1")).isEqualTo(2);
    assertThat(harness.err()).contains("--finding and --keep-case: not with --judge");
  }

  @Test
  void namesThePlace_whenThereIsNoSuchFinding() throws IOException {
    int code =
        gate(
            NOBODY, NOBODY, "--finding", "f-2", "--findings", findings("open", "cache").toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("--finding=f-2: not found in ");
  }
}
