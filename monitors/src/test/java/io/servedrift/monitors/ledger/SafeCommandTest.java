package io.servedrift.monitors.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafeCommandTest {

  @Test
  void keepsACommandWithoutSecretsAsItIs() {
    List<String> command =
        List.of(
            "lm_eval",
            "--tasks",
            "gsm8k,arc_easy",
            "--model_args",
            "model=m,max_tokens=8",
            "-v",
            "--note=a=b",
            "");
    SafeCommand safe = SafeCommand.of(command);
    assertThat(safe.arguments()).isEqualTo(command);
    assertThat(safe.leftOut()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run --api-key abc --n 3             | run --n 3                 | --api-key",
        "run --api-key=abc --n 3             | run --n 3                 | --api-key",
        "run --hf_token --n 3                | run --n 3                 | --hf_token",
        "env OPENAI_API_KEY=abc run          | env run                   | OPENAI_API_KEY",
        "run --args a=b,api_key=abc,c=d x    | run x                     | --args",
        "curl -u me:abc http://h             | curl http://h             | -u",
        "curl --user=me:abc http://h         | curl http://h             | --user",
        "curl http://h/?v=1&api_key=abc x    | curl x                    | an argument",
        "curl -v http://h/?v=1&token=abc x   | curl x                    | -v",
        "curl --url=http://h/?a=1&token=abc  | curl                      | --url",
        "run -k sk-0123456789abcdef0 x       | run x                     | -k",
        "run http://me:abc@host/v1           | run                       | an argument",
        "run -u http://h:80/v1 x              | run -u http://h:80/v1 x   | ''",
        "run -H X-Api-Key:abc x              | run x                     | -H",
        "run --eos-token x                   | run --eos-token x         | ''",
      })
  void leavesOutWhatMayBeSecret_andNamesIt(String given, String kept, String leftOut) {
    SafeCommand safe = SafeCommand.of(List.of(given.split(" ")));
    assertThat(String.join(" ", safe.arguments())).isEqualTo(kept);
    assertThat(String.join(" ", safe.leftOut())).isEqualTo(leftOut);
  }

  @Property(tries = 300, seed = "20261130")
  void neverKeepsASecret_whereverItStands(@ForAll("commands") List<String> command) {
    SafeCommand safe = SafeCommand.of(command);
    assertThat(safe.arguments()).noneMatch(a -> a.contains("s3cr3t"));
    assertThat(safe.leftOut()).isNotEmpty().noneMatch(a -> a.contains("s3cr3t"));
  }

  @Provide
  Arbitrary<List<String>> commands() {
    Arbitrary<String> plain = Arbitraries.of("run", "--n", "3", "-v", "--tasks", "a,b=c");
    Arbitrary<List<String>> secret =
        Arbitraries.of(
            List.of("--password", "s3cr3t"),
            List.of("--secret=s3cr3t"),
            List.of("HF_TOKEN=s3cr3t"),
            List.of("--model_args", "base=x,api_key=s3cr3t,k=v"),
            List.of("-H", "Authorization: Bearer s3cr3t"),
            List.of("--header", "authorization:s3cr3t"),
            List.of("-u", "admin:s3cr3t"),
            List.of("http://h/?v=1&api_key=s3cr3t&x=1"),
            List.of("--url=http://h/?v=1;token=s3cr3t"),
            List.of("sh", "-c", "python m.py --api-key s3cr3t && OPENAI_API_KEY=s3cr3t run"),
            List.of("sh", "-c", "run --api-key s3cr3t"),
            List.of("sh", "-c", "export A=1; OPENAI_API_KEY=s3cr3t run"),
            List.of("sh", "-c", "curl -u admin:s3cr3t http://h"),
            List.of("--json", "{\"a\": 1, \"api_key\" : \"s3cr3t\"}"),
            List.of("--kw", "password=x,s3cr3t"),
            List.of("https://user:s3cr3t@host/path"));
    Arbitrary<List<String>> plains = plain.list().ofMaxSize(4);
    return Combinators.combine(plains, secret, plains)
        .as(
            (before, hidden, after) -> {
              List<String> all = new java.util.ArrayList<>(before);
              all.addAll(hidden);
              all.addAll(after);
              return all;
            });
  }

  @Test
  void namesWhatChangesFromRunToRun_andFillsItIn() {
    SafeCommand kept =
        SafeCommand.of(List.of("run", "--url=http://old:8000/v1", "--out", "/tmp/r"))
            .generalised("http://old:8000", "/tmp/r");
    assertThat(kept.arguments())
        .containsExactly("run", "--url={endpoint}/v1", "--out", "{results}");
    assertThat(
            SafeCommand.filled(
                kept.arguments(), Map.of("{endpoint}", "http://new:1", "{results}", "/r2")))
        .containsExactly("run", "--url=http://new:1/v1", "--out", "/r2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "out | sh -c 'echo --routes out/a > out' | sh -c 'echo --routes {results}/a > {results}'",
        "out | lm_eval --output_path out         | lm_eval --output_path {results}",
        "out | lm_eval --output_path=out         | lm_eval --output_path={results}",
        ".   | run a.b ./x . 1.5                 | run a.b {results}/x {results} 1.5",
        "/r  | run /r /r/x.json /r2 /tmp/r       | run {results} {results}/x.json /r2 /tmp/r",
      })
  void replacesThePlaceOfResultsOnlyAsAWhole(String results, String given, String kept) {
    assertThat(
            SafeCommand.of(List.of(given.split(" ")))
                .generalised("http://h:80", results)
                .arguments())
        .containsExactly(kept.split(" "));
  }

  @Test
  void takesNoOtherPortForTheEndpoint() {
    assertThat(
            SafeCommand.of(List.of("http://h:80/v1", "http://h:8000/v1", "http://h"))
                .generalised("http://h:80", "")
                .arguments())
        .containsExactly("{endpoint}/v1", "http://h:8000/v1", "http://h");
    assertThat(
            SafeCommand.of(List.of("http://h:80", "http://h/v1"))
                .generalised("http://h", "")
                .arguments())
        .containsExactly("http://h:80", "{endpoint}/v1");
  }

  @Test
  void printsACommandOnOneLine_andHidesNothingOfIt() {
    assertThat(SafeCommand.text(List.of("run", "a b", "c\u001bd\u009b", "\u202ex", "a\" \"b\\")))
        .isEqualTo("run \"a b\" \"c\\u001bd\\u009b\" \"\\u202ex\" \"a\\\" \\\"b\\\\\"");
  }
}
