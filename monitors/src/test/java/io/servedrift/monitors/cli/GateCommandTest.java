package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.gate.GatePolicy;
import io.servedrift.monitors.gate.testkit.EndpointFault;
import io.servedrift.monitors.gate.testkit.ImageNode;
import io.servedrift.monitors.gate.testkit.TestScorer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateCommandTest {
  private static final String SECRET = "secret-prompt";

  @TempDir private Path folder;
  private final CommandLineHarness harness = new CommandLineHarness();

  private int gate(String... arguments) {
    List<String> all = new ArrayList<>(List.of("gate"));
    all.addAll(List.of(arguments));
    return harness.run(all.toArray(String[]::new));
  }

  private Path prompts(int n) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < n; i++) {
      lines.append(SECRET).append(' ').append(i).append('\n');
    }
    return Files.writeString(folder.resolve("prompts.txt"), lines);
  }

  @Test
  void saysAllThatIsWrongAtOnce() {
    int code =
        gate(
            "--old",
            "ftp://user:pass@h",
            "--flip-command",
            "true",
            "--only",
            "seed_party",
            "--concurrency",
            "0",
            "--peak-rate",
            "-1",
            "--resume");

    assertThat(code).isEqualTo(2);
    assertThat(harness.err())
        .contains("--old: must be http://HOST:PORT")
        .contains("--new URL: must be given")
        .contains("--prompts FILE: must be given")
        .contains("--flip-command and --switched: both or none")
        .contains("--only=seed_party: did you mean seed_parity?")
        .contains("--concurrency=0: must be K or K:SHARE")
        .contains("--peak-rate=-1.0: must be above 0")
        .contains("--resume: needs --report DIR of a run that was begun")
        .doesNotContain("pass@");
    assertThat(harness.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'sixteen bytes ..', key holds 16 bytes: must be a key of at least 32",
    ", key: no such file; must be a readable file with the key for prompt hashes"
  })
  void refusesAKeyThatCannotBeUsed(String content, String said) throws IOException {
    Path key = folder.resolve("key");
    if (content != null) {
      Files.writeString(key, content);
    }
    harness.environment("SERVEDRIFT_PROMPT_HASH_KEY_FILE", key.toString());

    assertThat(gate("--prompts", prompts(2).toString())).isEqualTo(2);
    assertThat(harness.err()).contains(said).contains("--new URL: must be given");
    assertThat(harness.err()).doesNotContain("sixteen");
  }

  @Test
  void endsWithUnreachable_whenNothingAnswers() throws IOException {
    String nobody = "http://127.0.0.1:1";
    int code = gate("--old", nobody, "--new", nobody, "--prompts", prompts(2).toString());

    assertThat(code).isEqualTo(12);
    assertThat(harness.err()).contains("--old " + nobody + ": nothing answers there");
  }

  @Test
  void keepsReportsAndJudgesAgain() throws IOException {
    Path run = folder.resolve("run");
    String prompts = prompts(6).toString();
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started();
        TestScorer scorer = TestScorer.started()) {
      String[] asked = {
        "--old", old.url(),
        "--new", fresh.url(),
        "--scorer", scorer.url(),
        "--prompts", prompts,
        "--only", "seed_parity,cache_parity",
        "--report", run.toString(),
        "--json"
      };
      // What was not run is insufficient, and that is no pass.
      assertThat(gate(asked)).isEqualTo(11);
      JsonNode document = new ObjectMapper().readTree(harness.out());
      assertThat(document.path("outcome").asText()).isEqualTo("insufficient");
      assertThat(run.resolve("gate.html")).isRegularFile();
      assertThat(run.resolve("gate.xml")).isRegularFile();
      assertThat(run.resolve("gate.md")).isRegularFile();
      assertThat(run.resolve("run-policy.yaml")).content().contains("without --policy");
      assertThat(Files.readString(run.resolve("journal.ndjson"))).doesNotContain(SECRET);

      CommandLineHarness again = new CommandLineHarness();
      List<String> same = new ArrayList<>(List.of("gate"));
      same.addAll(List.of(asked));
      assertThat(again.run(same.toArray(String[]::new))).isEqualTo(2);
      assertThat(again.err()).contains("holds a run that has ended: judge it with --judge");

      CommandLineHarness judge = new CommandLineHarness();
      assertThat(judge.run("gate", "--judge", run.toString(), "--json")).isEqualTo(11);
      assertThat(new ObjectMapper().readTree(judge.out())).isEqualTo(document);
    }
  }

  @Test
  void judgesAgain_whenAConfigurationIsUnknown() throws IOException {
    Path run = folder.resolve("run");
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started()) {
      fresh.faulty(EndpointFault.NO_SERVER_INFO);
      int code =
          gate(
              "--old",
              old.url(),
              "--new",
              fresh.url(),
              "--prompts",
              prompts(3).toString(),
              "--only",
              "seed_parity",
              "--report",
              run.toString(),
              "--json");

      assertThat(code).isEqualTo(10);
      JsonNode document = new ObjectMapper().readTree(harness.out());
      CommandLineHarness judge = new CommandLineHarness();
      assertThat(judge.run("gate", "--judge", run.toString(), "--json")).isEqualTo(10);
      assertThat(new ObjectMapper().readTree(judge.out())).isEqualTo(document);
    }
  }

  @Test
  void judgesByThePolicyOfTheRun_unlessAnotherIsGiven() throws IOException {
    Path run = folder.resolve("run");
    Path given = folder.resolve("given.yaml");
    Files.writeString(given, "# mine\nminimum_pairs: 33\n");
    Path other = Files.writeString(folder.resolve("other.yaml"), "minimum_pairs: 44\n");
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started()) {
      gate(
          "--old",
          old.url(),
          "--new",
          fresh.url(),
          "--prompts",
          prompts(3).toString(),
          "--only",
          "seed_parity",
          "--policy",
          given.toString(),
          "--report",
          run.toString(),
          "--json");
    }
    String hash = hash(harness);
    assertThat(hash).isEqualTo(GatePolicy.parse(Files.readString(given), "given").hash());
    assertThat(harness.err()).contains("policy: " + given + " (hash " + hash + ")");
    assertThat(run.resolve("run-policy.yaml")).hasSameTextualContentAs(given);

    CommandLineHarness judge = new CommandLineHarness();
    judge.run("gate", "--judge", run.toString(), "--json");
    assertThat(hash(judge)).isEqualTo(hash);
    assertThat(judge.err()).contains("run-policy.yaml, that of the run (hash " + hash + ")");

    CommandLineHarness otherwise = new CommandLineHarness();
    otherwise.run("gate", "--judge", run.toString(), "--policy", other.toString(), "--json");
    assertThat(hash(otherwise)).isNotEqualTo(hash);
    assertThat(otherwise.err()).contains("policy: " + other + " (hash ");
    assertThat(run.resolve("run-policy.yaml")).hasSameTextualContentAs(given);

    Files.delete(run.resolve("run-policy.yaml"));
    CommandLineHarness unknown = new CommandLineHarness();
    unknown.run("gate", "--judge", run.toString(), "--json");
    assertThat(hash(unknown)).isEqualTo(GatePolicy.defaults().hash());
    assertThat(unknown.err()).contains("the built-in one; the run may have had another");
  }

  private static String hash(CommandLineHarness harness) throws IOException {
    return new ObjectMapper().readTree(harness.out()).path("run").path("policy_hash").asText();
  }

  @Test
  void printsChecksSentenceTailsAndCosts() throws IOException {
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started()) {
      int code =
          gate(
              "--old", old.url(),
              "--new", fresh.url(),
              "--prompts", prompts(3).toString(),
              "--only", "seed_parity");

      assertThat(code).isEqualTo(11);
      assertThat(harness.out())
          .startsWith("gate: INSUFFICIENT: ")
          .containsPattern("(?m)^a/a control +insufficient")
          .containsPattern("(?m)^seed_parity +insufficient")
          .containsPattern("(?m)^rollback +insufficient")
          .contains("weights equal, axes that differ: none")
          .containsPattern("(?m)^old/single +- +3 +0 ")
          .containsPattern("(?m)^new/production +- ")
          .contains("node seconds per answer");
      assertThat(harness.err()).contains("in all").doesNotContain(SECRET);
    }
  }

  @Test
  void neverPasses_whenAnEndpointAnswersWithErrors() throws IOException {
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started()) {
      fresh.faulty(EndpointFault.NOT_FOUND);
      int code =
          gate(
              "--old", old.url(),
              "--new", fresh.url(),
              "--prompts", prompts(8).toString(),
              "--only", "seed_parity");

      assertThat(code).isEqualTo(10);
      assertThat(harness.out()).startsWith("gate: FAIL: ").contains("too many errors");
      assertThat(harness.err())
          .contains("new " + fresh.url() + ": the first 2 requests failed with http_404; going on")
          .doesNotContain("old " + old.url() + ": the first");
    }
  }

  @Test
  void stopsBeforeTheRun_whenNoSideGivesAnAnswer() throws IOException {
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started()) {
      old.faulty(EndpointFault.SERVER_ERROR);
      fresh.faulty(EndpointFault.NOT_FOUND);
      int code = gate("--old", old.url(), "--new", fresh.url(), "--prompts", prompts(8).toString());

      assertThat(code).isEqualTo(10);
      assertThat(harness.out()).isEmpty();
      assertThat(harness.err())
          .contains("old " + old.url() + ": the first 2 requests failed with http_500")
          .contains("new " + fresh.url() + ": the first 2 requests failed with http_404")
          .contains("no side gives an answer that can be used")
          .doesNotContain("Exception")
          .doesNotContain("\tat ");
    }
  }

  @Test
  void saysWhatItWouldCost() throws IOException {
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started()) {
      int code =
          gate(
              "--old",
              old.url(),
              "--new",
              fresh.url(),
              "--prompts",
              prompts(5).toString(),
              "--only",
              "seed_parity",
              "--estimate",
              "--json");

      assertThat(code).isZero();
      JsonNode document = new ObjectMapper().readTree(harness.out());
      // Two sides, SINGLE and PRODUCTION twice each.
      assertThat(document.path("requests").asInt()).isEqualTo(2 * 4 * 5);
      assertThat(document.path("regimes").get(0).path("regime").asText()).isEqualTo("single");
    }
  }

  @Test
  void saysWhenTooFewRequestsAreJudged() throws IOException {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "load: {levels: 1, least_requests: 400, blocks: 2, block: 20s, warm_up: 2s}\n");
    try (ImageNode old = ImageNode.started();
        ImageNode fresh = ImageNode.started()) {
      List<String> asked =
          List.of(
              "--old",
              old.url(),
              "--new",
              fresh.url(),
              "--prompts",
              prompts(5).toString(),
              "--policy",
              policy.toString(),
              "--estimate");
      List<String> slow = new ArrayList<>(asked);
      slow.addAll(List.of("--peak-rate", "7"));
      assertThat(gate(slow.toArray(String[]::new))).isZero();
      assertThat(harness.out())
          .contains("rests on 2 requests to each side")
          // 7/s for 2 x 18 s; 400 of them want 11.11/s.
          .contains("p99_under_load will be insufficient: at load 1.000 about 252 requests")
          .contains("least_requests is 400; needs a peak rate of 11.11/s");

      List<String> fast = new ArrayList<>(asked);
      fast.addAll(List.of("--peak-rate", "12", "--json"));
      CommandLineHarness enough = new CommandLineHarness();
      fast.add(0, "gate");
      assertThat(enough.run(fast.toArray(String[]::new))).isZero();
      JsonNode level = new ObjectMapper().readTree(enough.out()).path("loads").path(0);
      assertThat(level.path("enough").asText()).isEqualTo("yes");
      assertThat(level.path("most_expected").asDouble()).isEqualTo(432);
    }
  }

  @Test
  void showsNothingOfAToken() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "two words");
    harness.environment("SERVEDRIFT_GATE_TOKEN_FILE", token.toString());
    int code =
        gate("--old", "http://h:1", "--new", "http://h:2", "--prompts", prompts(1).toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err())
        .contains(token + ": must hold one token of printable ASCII")
        .doesNotContain("two words");
  }

  @Test
  void isInsufficient_whenTrafficHoldsNoRequest() throws IOException {
    Path traffic = Files.writeString(folder.resolve("traffic.ndjson"), "");
    int code =
        gate(
            "--old",
            "http://127.0.0.1:1",
            "--new",
            "http://127.0.0.1:1",
            "--prompts",
            prompts(1).toString(),
            "--traffic",
            traffic.toString());

    assertThat(code).isEqualTo(11);
    assertThat(harness.err()).contains("holds no request to replay");
  }

  @Test
  void refusesAFolderWithoutAJournal() {
    assertThat(gate("--judge", folder.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("must hold a journal.ndjson");
  }
}
