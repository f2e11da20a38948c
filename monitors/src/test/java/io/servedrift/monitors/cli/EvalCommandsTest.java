package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.ledger.io.InfoEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ledger in a file. */
class EvalCommandsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ONE = system(1, "bf16");
  private static final String EIGHT = system(8, "bf16");
  private static final String FP8 = system(8, "fp8");

  @TempDir private Path folder;

  private static String system(int batch, String weights) {
    return "{\"deployment\":\"image-gen\",\"config\":{\"batching\":{\"max_batch_size\":"
        + batch
        + "},\"precision\":{\"weights\":\""
        + weights
        + "\"}},\"model\":{\"name\":\"flux\",\"revision\":\"r1\"}}";
  }

  private record Ran(int code, String out, String err) {
    JsonNode json() throws IOException {
      return JSON.readTree(out);
    }
  }

  private Ran eval(String command, String... more) {
    List<String> all = new ArrayList<>(List.of("eval", command));
    all.addAll(List.of("--ledger", folder.resolve("ledger.ndjson").toString()));
    all.addAll(List.of(more));
    CommandLineHarness harness = new CommandLineHarness();
    int code = harness.run(all.toArray(String[]::new));
    return new Ran(code, harness.out(), harness.err());
  }

  private Ran record(String config, String value, String... more) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of("--name", "geneval", "--metric", "overall", "--n", "553", "--stderr", "0.012"));
    all.addAll(List.of("--value", value, "--dataset", "geneval@1", "--higher-is-better"));
    if (!config.isEmpty()) {
      all.addAll(List.of("--model-config", file("config.json", config)));
    }
    all.addAll(List.of(more));
    return eval("record", all.toArray(String[]::new));
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  private String onlyId() throws IOException {
    return eval("list", "--json").json().at("/evals/0/eval_id").asText();
  }

  @Test
  void refusesAScoreWithoutConfiguration_unlessForced_thenMarksIt() throws IOException {
    Ran refused = record("", "0.71");
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("no configuration given", "--force");
    assertThat(folder.resolve("ledger.ndjson")).doesNotExist();

    Ran forced = record("", "0.71", "--force", "--json");
    assertThat(forced.code()).isZero();
    assertThat(forced.json().at("/recorded/0/eval/unconfigured").asBoolean()).isTrue();
    assertThat(eval("list").out()).contains("unconfigured");
    assertThat(record("{\"config\":{\"colour\":\"red\"}}", "0.71").err())
        .contains("nothing in the configuration counts");
  }

  @Test
  void recordsOnce() throws IOException {
    assertThat(record(ONE, "0.71").out()).startsWith("recorded e-");
    Ran again = record(ONE, "0.71");
    assertThat(again.code()).isZero();
    assertThat(again.out()).startsWith("already recorded e-");
    assertThat(Files.readAllLines(folder.resolve("ledger.ndjson"))).hasSize(1);
  }

  @Test
  void listsWithIntervals_andFilters() throws IOException {
    record(ONE, "0.71");
    record(EIGHT, "0.69", "--deployment", "image-gen");
    Ran all = eval("list");
    assertThat(all.code()).isZero();
    assertThat(all.out()).contains("0.7100  [0.6865, 0.7335]  553", "geneval@1", "flux@r1");
    assertThat(eval("list", "--deployment", "image-gen").out().lines()).hasSize(2);
    assertThat(eval("list", "--name", "none").out()).isEqualTo("no scores\n");
  }

  @Test
  void showsTheEvidence() throws IOException {
    record(ONE, "0.71", "--harness", "geneval", "--by", "ana", "--", "run", "--api-key", "abc");
    Ran shown = eval("show", onlyId());
    assertThat(shown.code()).isZero();
    assertThat(shown.out())
        .contains("batching.max_batch_size = 1", "name = \"flux\"")
        .contains("harness           geneval", "recorded by       ana", "(intact)")
        .contains("command           run\n", "may be secret: --api-key")
        .doesNotContain("abc");
    JsonNode json = eval("show", onlyId(), "--json").json();
    assertThat(json.at("/eval/config_schema/config").toString()).contains("precision.weights");
    assertThat(json.path("digest_is").asText()).isEqualTo("intact");
    assertThat(eval("show", "e-none").code()).isEqualTo(2);
  }

  @Test
  void seesThatALineWasAltered() throws IOException {
    record(ONE, "0.71");
    Path ledger = folder.resolve("ledger.ndjson");
    Files.writeString(ledger, Files.readString(ledger).replace("\"value\":0.71", "\"value\":0.91"));
    assertThat(eval("show", onlyId()).out()).contains("(altered)");
    assertThat(eval("list").out()).contains("altered");
    try (InfoEndpoint endpoint = new InfoEndpoint(ONE)) {
      Ran check = eval("check", "--endpoint", endpoint.address());
      assertThat(check.code()).isEqualTo(11);
      assertThat(check.out()).contains("1 unknown", "digest does not fit");
    }
  }

  @Test
  void readsResultsOfTheHarness_andANumberOfAnyJson() throws IOException {
    String results =
        file(
            "results.json",
            "{\"results\":{\"gsm8k\":{\"exact_match,none\":0.6,\"exact_match_stderr,none\":0.01},"
                + "\"arc\":{\"acc,none\":0.3}},\"versions\":{\"gsm8k\":3},"
                + "\"geneval\":{\"overall\":0.7,\"n\":553}}");
    String config = file("c.json", ONE);
    Ran harness = eval("record", "--results", results, "--model-config", config, "--json");
    assertThat(harness.json().path("recorded")).hasSize(2);
    Ran one =
        eval("record", "--results", results, "--model-config", config, "--name", "arc", "--json");
    assertThat(one.json().at("/recorded/0/added").asBoolean()).isFalse();
    Ran none = eval("record", "--results", results, "--model-config", config, "--name", "x");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).contains("gsm8k/exact_match, arc/acc");
    Ran path =
        eval(
            "record",
            "--results",
            results,
            "--model-config",
            config,
            "--json-path",
            "geneval.overall",
            "--n-path",
            "geneval.n",
            "--name",
            "geneval",
            "--metric",
            "overall",
            "--json");
    assertThat(path.json().at("/recorded/0/eval/value").asDouble()).isEqualTo(0.7);
    assertThat(path.json().at("/recorded/0/eval/n").asInt()).isEqualTo(553);
  }

  @Test
  void saysAllThatIsWrongAtOnce() throws IOException {
    Ran ran =
        eval(
            "record",
            "--value",
            "1",
            "--results",
            "x",
            "--intended",
            "y",
            "--n-path",
            "z",
            "--setting",
            "gen_kwargs=a=1,api_key=abc",
            "run");
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err())
        .contains("--setting gen_kwargs: may be secret")
        .doesNotContain("abc")
        .contains("--value: not together")
        .contains("needs --name NAME and --metric NAME")
        .contains("--n-path, --stderr-path: need --json-path")
        .contains("--intended: needs --endpoint")
        .contains("'run': the command that measures stands after --");
    Ran invalid = record(ONE, "0.7", "--concurrency", "-1");
    assertThat(invalid.code()).isEqualTo(2);
    assertThat(invalid.err()).contains("concurrency=-1");
  }

  @Test
  void isStrictAboutTheLedgerFile_andTolerantOfItsLines() throws IOException {
    assertThat(eval("list").code()).isEqualTo(2);
    assertThat(eval("list").err()).contains("no such file");
    CommandLineHarness none = new CommandLineHarness();
    assertThat(none.run("eval", "list")).isEqualTo(2);
    assertThat(none.err()).contains("no ledger given");
    record(ONE, "0.71");
    Path ledger = folder.resolve("ledger.ndjson");
    Files.writeString(ledger, "rubbish\n" + Files.readString(ledger));
    Ran read = eval("list");
    assertThat(read.code()).isZero();
    assertThat(read.err()).contains("1 items of the ledger are no record", ":1: ");
    assertThat(eval("list", "--json").json().path("problems")).hasSize(1);
    try (InfoEndpoint endpoint = new InfoEndpoint(ONE)) {
      Ran check = eval("check", "--endpoint", endpoint.address(), "--json");
      assertThat(check.json().at("/evals/0/state").asText()).isEqualTo("current");
      assertThat(check.json().path("problems")).hasSize(1);
      assertThat(check.code()).isEqualTo(11);
    }
    record(ONE.replace("flux", "sd3"), "0.80");
    Ran compare = eval("compare", "--under", file("under.json", ONE), "--json");
    assertThat(compare.json().at("/rankings/0/comparison").asBoolean()).isTrue();
    assertThat(compare.json().path("problems")).hasSize(1);
    assertThat(compare.code()).isEqualTo(11);
  }

  @Test
  void checksAgainstAnEndpoint() throws IOException {
    record(ONE, "0.71");
    try (InfoEndpoint endpoint = new InfoEndpoint(ONE)) {
      assertThat(eval("check", "--endpoint", endpoint.address()).code()).isZero();
      endpoint.says(FP8);
      Ran stale = eval("check", "--endpoint", endpoint.address());
      assertThat(stale.code()).isEqualTo(10);
      assertThat(stale.out()).contains("batching.max_batch_size: 1 -> 8", "1 stale");
      endpoint.says(system(1, "fp8"));
      assertThat(eval("check", "--endpoint", endpoint.address()).out()).contains("upper bound");
      endpoint.says(FP8);
      JsonNode json = eval("check", "--endpoint", endpoint.address(), "--json").json();
      assertThat(json.at("/evals/0/state").asText()).isEqualTo("stale");
      assertThat(json.at("/evals/0/changed_axes")).hasSize(2);
    }
  }

  @Test
  void readsWhatARuntimeAnswersInItsOwnForm() throws IOException {
    String answer =
        "{\"model_path\":\"m/llama\",\"version\":\"0.5.6\",\"dtype\":\"bfloat16\",\"max_running_requests\":8}";
    try (InfoEndpoint endpoint = new InfoEndpoint(answer)) {
      Ran ran = eval("record", measured(endpoint.address(), "", "0.7"));
      assertThat(ran.code()).as(ran.err()).isZero();
      assertThat(eval("check", "--endpoint", endpoint.address()).code()).isZero();
      endpoint.says(answer.replace("0.5.6", "0.5.7"));
      Ran stale = eval("check", "--endpoint", endpoint.address());
      assertThat(stale.code()).isEqualTo(10);
      assertThat(stale.out()).contains("runtime.version: \"0.5.6\" -> \"0.5.7\"");
    }
  }

  @Test
  void readsARuntimeThatDoesNotSayItsModel_andPassesNothingByIt() throws IOException {
    String answer =
        "{\"version\":\"0.9\",\"vllm_config\":{\"cache_config\":{\"block_size\":16},"
            + "\"scheduler_config\":{\"max_num_seqs\":8}}}";
    try (InfoEndpoint endpoint = new InfoEndpoint(answer)) {
      endpoint.isOlder();
      Ran ran = eval("record", measured(endpoint.address(), "", "0.7"));
      assertThat(ran.code()).as(ran.err()).isZero();
      Ran check = eval("check", "--endpoint", endpoint.address());
      assertThat(check.code()).isEqualTo(11);
      assertThat(check.out()).contains("no model was recorded");
      endpoint.says(answer.replace("8", "4"));
      Ran stale = eval("check", "--endpoint", endpoint.address());
      assertThat(stale.code()).isEqualTo(10);
    }
  }

  @Test
  void neverPasses_whenThereIsNothingToCompare() throws IOException {
    record("", "0.71", "--force");
    try (InfoEndpoint endpoint = new InfoEndpoint(ONE)) {
      assertThat(eval("check", "--endpoint", endpoint.address()).code()).isEqualTo(11);
      assertThat(eval("check", "--endpoint", endpoint.address(), "--name", "x").code())
          .isEqualTo(11);
      for (String nothing : List.of("{}", "{\"version\":\"1\"}")) {
        endpoint.says(nothing);
        Ran unsaid = eval("check", "--endpoint", endpoint.address());
        assertThat(unsaid.code()).isEqualTo(11);
        assertThat(unsaid.err()).contains("does not say its configuration");
      }
    }
    assertThat(eval("check").code()).isEqualTo(2);
    assertThat(eval("check", "--endpoint", "http://127.0.0.1:1").code()).isEqualTo(12);
  }

  @Test
  void comparesOnlyUnderOneConfiguration() throws IOException {
    String other = EIGHT.replace("flux", "sd3");
    record(EIGHT, "0.71");
    record(other, "0.80");
    record(ONE.replace("flux", "old"), "0.99");
    Ran compared = eval("compare", "--under", file("under.json", EIGHT));
    assertThat(compared.code()).isZero();
    assertThat(compared.out())
        .containsSubsequence("1     sd3@r1", "2     flux@r1", "not comparable", "old@r1")
        .contains("batching.max_batch_size: 8 -> 1");
    String id = eval("list", "--json").json().at("/evals/0/config_id").asText();
    JsonNode json = eval("compare", "--under", id, "--json").json();
    assertThat(json.path("config_id").asText()).isEqualTo(id);
    assertThat(eval("compare", "--under", "0123456789abcdef").code()).isEqualTo(11);
  }

  /** A harness in one line of shell: writes its result file, and does what else it is told. */
  private static String[] measured(String endpoint, String first, String value) {
    return new String[] {
      "--endpoint",
      endpoint,
      "--json-path",
      "score",
      "--name",
      "geneval",
      "--metric",
      "overall",
      "--stderr",
      "0.01",
      "--",
      "sh",
      "-c",
      first + "echo '{\"score\":" + value + "}' > {results}/out.json; echo said {endpoint}"
    };
  }

  @Test
  void measuresBetweenTwoLooksAtTheEndpoint() throws IOException {
    try (InfoEndpoint endpoint = new InfoEndpoint(EIGHT)) {
      List<String> options = new ArrayList<>(List.of("--intended", file("wanted.json", ONE)));
      options.addAll(List.of("--endpoint-token-file", file("token", "t0ken\n")));
      options.addAll(List.of(measured(endpoint.address(), "", "0.7")));
      Ran ran = eval("record", options.toArray(String[]::new));
      assertThat(ran.code()).as(ran.err()).isZero();
      assertThat(ran.out())
          .contains("same system by construction")
          .contains("resolved otherwise than intended: batching.max_batch_size: 1 -> 8");
      assertThat(ran.err()).contains("said " + endpoint.address());
      JsonNode eval = eval("show", onlyId(), "--json").json().path("eval");
      assertThat(eval.path("deployment").asText()).isEqualTo("image-gen");
      assertThat(eval.at("/config/batching/max_batch_size").asInt()).isEqualTo(8);
      assertThat(eval.path("command").toString()).contains("{endpoint}", "{results}");
      assertThat(eval.path("endpoint").asText()).isEqualTo(endpoint.address());
      assertThat(eval.has("from")).isTrue();
      assertThat(endpoint.authorization()).isEqualTo("Bearer t0ken");
      assertThat(Files.readString(folder.resolve("ledger.ndjson"))).doesNotContain("t0ken");
    }
  }

  @Test
  void recordsNothing_whenTheConfigurationChangesOrTheCommandFails() throws IOException {
    try (InfoEndpoint endpoint = new InfoEndpoint(EIGHT)) {
      endpoint.saysOnceMore(ONE);
      Ran changed = eval("record", measured(endpoint.address(), "", "0.7"));
      assertThat(changed.code()).isEqualTo(10);
      assertThat(changed.err())
          .contains("changed during the measurement", "batching.max_batch_size: 8 -> 1");
      Ran failed = eval("record", measured(endpoint.address(), "exit 3; ", "0.7"));
      assertThat(failed.code()).isEqualTo(10);
      assertThat(failed.err()).contains("exit code 3", "nothing was recorded");
      assertThat(folder.resolve("ledger.ndjson")).doesNotExist();
    }
  }

  @Test
  void runsAgainOnlyWithYes_andSupersedes() throws IOException {
    try (InfoEndpoint old = new InfoEndpoint(ONE);
        InfoEndpoint now = new InfoEndpoint(EIGHT)) {
      eval("record", measured(old.address(), "", "0.7"));
      String id = onlyId();
      Ran asked = eval("rerun", id, "--endpoint", now.address());
      assertThat(asked.code()).isEqualTo(2);
      assertThat(asked.err()).contains("nothing was run; --yes runs", "{endpoint}");
      assertThat(eval("list", "--json").json().path("evals")).hasSize(1);

      assertThat(eval("check", "--endpoint", now.address()).code()).isEqualTo(10);
      Ran again = eval("rerun", id, "--endpoint", now.address(), "--yes");
      assertThat(again.code()).as(again.err()).isZero();
      assertThat(again.out()).contains("supersedes " + id, "same system by construction");
      assertThat(again.err()).contains("said " + now.address());
      assertThat(eval("check", "--endpoint", now.address()).code()).isZero();
      assertThat(eval("list", "--all").out()).contains("superseded");
      assertThat(eval("show", id).out()).contains("superseded by     " + onlyId());
    }
  }

  @Test
  void refusesToRunWhatCannotMeasureTheNewEndpoint() throws IOException {
    record(ONE, "0.71");
    record(ONE, "0.72", "--", "run", "--api-key", "abc");
    record(ONE, "0.73", "--", "run", "{results}");
    List<String> errors = new ArrayList<>();
    for (JsonNode each : eval("list", "--json").json().path("evals")) {
      Ran ran =
          eval("rerun", each.path("eval_id").asText(), "--endpoint", "http://127.0.0.1:1", "--yes");
      assertThat(ran.code()).isEqualTo(2);
      errors.add(ran.err());
    }
    assertThat(String.join("", errors))
        .contains("no command was recorded")
        .contains("may be secret and was not kept: --api-key")
        .contains("does not name {endpoint}");
  }

  @Test
  void refusesToRunAnAlteredCommand() throws IOException {
    record(ONE, "0.71", "--", "run", "{endpoint}", "{results}");
    Path ledger = folder.resolve("ledger.ndjson");
    Files.writeString(ledger, Files.readString(ledger).replace("\"run\"", "\"rm\""));
    Ran ran = eval("rerun", onlyId(), "--endpoint", "http://127.0.0.1:1", "--yes");
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("not as it was made");
  }

  @Test
  void theFilledInChecklistIsAConfiguration() throws IOException {
    CommandLineHarness harness = new CommandLineHarness();
    assertThat(harness.run("eval", "checklist")).isZero();
    String form =
        harness
            .out()
            .replace("    max_batch_size: ", "    max_batch_size: 8 ")
            .replace("  revision: ", "  revision: r1 ");
    Ran ran =
        eval(
            "record",
            "--value",
            "1",
            "--name",
            "n",
            "--metric",
            "m",
            "--model-config",
            file("form.yaml", form),
            "--json");
    assertThat(ran.code()).as(ran.err()).isZero();
    JsonNode eval = ran.json().at("/recorded/0/eval");
    assertThat(eval.path("config").toString()).isEqualTo("{\"batching\":{\"max_batch_size\":8}}");
    assertThat(eval.path("model").toString()).isEqualTo("{\"revision\":\"r1\"}");
  }

  @Test
  void keepsAnArgumentThatNamesAFileAsItIs() throws IOException {
    String at = "@" + file("body", "x y");
    record(ONE, "0.71", "--", "run", "-d", at);
    JsonNode command = eval("show", onlyId(), "--json").json().at("/eval/command");
    assertThat(command.toString()).isEqualTo("[\"run\",\"-d\",\"" + at + "\"]");
  }

  /** What a form says without quotes is what a runtime says in quotes. */
  @Test
  void aVersionOfTheFormIsAText() throws IOException {
    String form =
        """
        config:
          runtime:
            name: sglang
            version: 0.10
            libraries:
              cuda: 12.4
              torch: 2.10
          batching:
            max_batch_size: 8
        model:
          name: flux
          revision: 5e12345
        """;
    String runs =
        "{'config':{'runtime':{'name':'sglang','version':'0.10','libraries':{'cuda':'12.4',"
            + "'torch':'2.10'}},'batching':{'max_batch_size':8}},"
            + "'model':{'name':'flux','revision':'5e12345'}}";
    List<String> options = new ArrayList<>(List.of("--name", "n", "--metric", "m", "--value", "1"));
    options.addAll(List.of("--model-config", file("form.yaml", form)));
    assertThat(eval("record", options.toArray(String[]::new)).code()).isZero();
    try (InfoEndpoint endpoint = new InfoEndpoint(runs.replace('\'', '"'))) {
      Ran check = eval("check", "--endpoint", endpoint.address());
      assertThat(check.out()).contains("1 current");
      assertThat(check.code()).isZero();
    }
  }

  @Test
  void saysWhatWouldBeInvalid_beforeTheCommandRuns() throws IOException {
    Path ran = folder.resolve("ran");
    try (InfoEndpoint endpoint = new InfoEndpoint(EIGHT)) {
      String[] command = measured(endpoint.address(), "touch " + ran + "; ", "0.7");
      for (List<String> wrong :
          List.of(
              List.of("--intended", folder.resolve("none.json").toString()),
              List.of("--concurrency", "-1"),
              List.of("--n", "-1"),
              List.of("--deployment", "staging"),
              List.of("--model-config", file("model.json", "{\"model\":{\"name\":\"x\"}}")),
              List.of("--from", "2026-11-30T12:00:00Z"))) {
        List<String> all = new ArrayList<>(wrong);
        all.addAll(List.of(command));
        Ran refused = eval("record", all.toArray(String[]::new));
        assertThat(refused.code()).as("%s: %s", wrong, refused.err()).isEqualTo(2);
      }
      CommandLineHarness elsewhere = new CommandLineHarness();
      List<String> all = new ArrayList<>(List.of("eval", "record", "--ledger"));
      all.add(folder.resolve("no/such/ledger.ndjson").toString());
      all.addAll(List.of(command));
      assertThat(elsewhere.run(all.toArray(String[]::new))).isEqualTo(2);
    }
    assertThat(ran).doesNotExist();
    CommandLineHarness folderAsLedger = new CommandLineHarness();
    assertThat(
            folderAsLedger.run(
                "eval",
                "record",
                "--ledger",
                folder.toString(),
                "--value",
                "1",
                "--name",
                "n",
                "--metric",
                "m",
                "--model-config",
                file("c.json", ONE)))
        .isEqualTo(2);
    assertThat(folderAsLedger.err()).contains("is a folder");
  }

  @Test
  void recordsNothing_whenTheResultsAreOlderThanTheRun() throws IOException {
    String old =
        "{\"results\":{\"a\":{\"acc\":1}},\"versions\":{},\"date\":1764496800}"
            .replace("\"", "\\\"");
    try (InfoEndpoint endpoint = new InfoEndpoint(EIGHT)) {
      Ran ran =
          eval(
              "record",
              "--endpoint",
              endpoint.address(),
              "--",
              "sh",
              "-c",
              "echo \"" + old + "\" > {results}/old.json");
      assertThat(ran.code()).as(ran.err()).isEqualTo(10);
      assertThat(ran.err()).contains("before this run began");
      assertThat(folder.resolve("ledger.ndjson")).doesNotExist();
    }
  }

  @Test
  void givesNoScoreToAnotherModelOrDeployment_unlessForced() throws IOException {
    try (InfoEndpoint endpoint = new InfoEndpoint(ONE)) {
      eval("record", measured(endpoint.address(), "", "0.7"));
      String id = onlyId();
      for (String other :
          List.of(ONE.replace("flux", "sd3"), ONE.replace("image-gen", "staging"))) {
        endpoint.says(other);
        Ran refused = eval("rerun", id, "--endpoint", endpoint.address(), "--yes");
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err()).contains("nothing was run", "--force");
      }
      assertThat(eval("rerun", id, "e-2", "--endpoint", endpoint.address(), "--yes").code())
          .isEqualTo(2);
      Ran forced =
          eval("rerun", id, "--endpoint", endpoint.address(), "--yes", "--force", "--json");
      assertThat(forced.code()).as(forced.err()).isZero();
      assertThat(forced.json().at("/recorded/0/eval/deployment").asText()).isEqualTo("staging");
      assertThat(forced.err()).contains("says a standard error (--stderr)");
      Ran again =
          eval(
              "rerun",
              id,
              "--endpoint",
              endpoint.address(),
              "--yes",
              "--force",
              "--json",
              "--stderr",
              "0.02",
              "--concurrency",
              "4");
      assertThat(again.json().at("/recorded/0/eval/stderr").asDouble()).isEqualTo(0.02);
      assertThat(again.json().at("/recorded/0/eval/concurrency").asDouble()).isEqualTo(4);
      assertThat(again.err()).doesNotContain("the new score does not");
    }
  }

  @Test
  void supersedesOnlyARecordOfTheSameKind() throws IOException {
    record(ONE, "0.71");
    String id = onlyId();
    Ran other = typed("other", "geneval@1", id);
    assertThat(other.code()).isEqualTo(2);
    assertThat(other.err()).contains("--supersedes " + id + ": is of geneval/overall");
    Ran data = typed("overall", "geneval@2", id);
    assertThat(data.code()).isZero();
    assertThat(data.err()).contains("data of " + id + ", which stands");
    assertThat(eval("list", "--json").json().path("evals")).hasSize(2);
    assertThat(record(ONE, "0.73", "--supersedes", id).code()).isZero();
    assertThat(eval("list", "--json").json().path("evals").findValuesAsText("eval_id"))
        .hasSize(2)
        .doesNotContain(id);
  }

  private Ran typed(String metric, String dataset, String supersedes) throws IOException {
    List<String> all = new ArrayList<>(List.of("--name", "geneval", "--metric", metric));
    all.addAll(List.of("--value", "0.72", "--dataset", dataset, "--supersedes", supersedes));
    all.addAll(List.of("--model-config", file("config.json", ONE)));
    return eval("record", all.toArray(String[]::new));
  }
}
