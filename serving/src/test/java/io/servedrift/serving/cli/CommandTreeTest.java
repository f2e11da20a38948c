package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.serving.node.FakeEngine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CommandTreeTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return CommandTree.of(Map.of(), new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void listsEverySetting_whenHelpIsAsked() {
    assertThat(run("serve", "--help")).isZero();
    for (Setting setting : ServeSettings.all()) {
      assertThat(out.toString())
          .contains(setting.option() + "=")
          .containsPattern(setting.environmentName().replace("_", "_\\s*"));
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void failsWithUsage_whenThereIsNoScorer(@TempDir Path dir) {
    assertThat(run("scorer")).isEqualTo(2);
    assertThat(err.toString()).contains("servedrift: scorer: must be given, as --scorer DIR");
    assertThat(run("scorer", "--scorer", dir.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("servedrift: scorer: ").contains(dir.toString());
  }

  @Test
  void failsWithUsage_andSaysWhatWasMeant() {
    assertThat(run("serve", "--max-runing", "3")).isEqualTo(2);
    assertThat(err.toString()).contains("--max-runing", "--max-running", "serve --help");
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).contains("a command is missing");
  }

  @Test
  void failsWithEveryProblem_whenSettingsAreWrong() {
    assertThat(run("serve", "--port", "x")).isEqualTo(2);
    assertThat(err.toString())
        .contains("servedrift: model: must be given")
        .contains("servedrift: bootstrap-servers: must be given")
        .contains("servedrift: --port=x: must be a whole number");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void saysAProblemOnce_whenTheLogLevelIsWrong() {
    assertThat(run("serve", "--log-level", "loud")).isEqualTo(2);
    assertThat(err.toString()).containsOnlyOnce("--log-level=loud");
  }

  @Test
  void failsWithUsage_whenTheImagesOfACallCannotWaitTogether() {
    assertThat(
            run(
                "serve",
                "--model=m",
                "--bootstrap-servers=127.0.0.1:1",
                "--max-images=4",
                "--max-waiting=3"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("max-images", "max-waiting");
  }

  /** A node that only refuses must be started anew by what supervises it. */
  @Test
  void endsWithAnError_whenTheSchedulerCannotGoOn() throws Exception {
    ServeCommand serve = new ServeCommand(Map.of(), (settings, faults) -> new FakeEngine().parts());
    CommandLine command = new CommandLine(serve);
    serve.addSettings(command.getCommandSpec());
    command.setOut(new PrintWriter(out, true));
    CompletableFuture<Integer> code =
        CompletableFuture.supplyAsync(
            () -> command.execute("--model=m", "--bootstrap-servers=127.0.0.1:1", "--port=0"));
    await().atMost(Duration.ofSeconds(30)).until(() -> out.toString().contains("\n"));
    URI address = URI.create(out.toString().strip().substring("listening on ".length()));
    // Its answer may be cut off: the process ends.
    CompletableFuture<HttpResponse<Void>> request =
        HttpClient.newHttpClient()
            .sendAsync(
                HttpRequest.newBuilder(address.resolve("/v1/images/generations"))
                    .timeout(Duration.ofSeconds(30))
                    .header("Content-Type", "application/json")
                    .POST(
                        HttpRequest.BodyPublishers.ofString(
                            "{\"prompt\":\"" + FakeEngine.FATAL + "\"}"))
                    .build(),
                HttpResponse.BodyHandlers.discarding());

    assertThat(code.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(request)
        .satisfiesAnyOf(
            cut -> assertThat(cut).failsWithin(Duration.ofSeconds(30)),
            told -> assertThat(told.join().statusCode()).isEqualTo(500));
  }

  @Test
  void failsWithUsage_whenThereIsNoModel(@TempDir Path dir) throws Exception {
    Path empty = Files.createDirectory(dir.resolve("empty"));

    assertThat(run("serve", "--model", empty.toString(), "--bootstrap-servers", "127.0.0.1:1"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("servedrift: " + empty + " is no usable pipeline");
  }
}
