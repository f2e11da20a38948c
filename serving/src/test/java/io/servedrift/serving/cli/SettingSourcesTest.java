package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.servedrift.serving.engine.Precision;
import io.servedrift.serving.engine.SamplerKind;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.scheduler.BatchingMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingSourcesTest {

  private static final Map<String, String> NEEDED =
      Map.of("model", "m", "bootstrap-servers", "localhost:9092");

  @TempDir private Path dir;

  private static ServeOptions options(
      Map<String, String> commandLine, Map<String, String> environment, @Nullable Path file) {
    Map<String, String> given = new HashMap<>(NEEDED);
    given.putAll(commandLine);
    return ServeOptions.of(
        new SettingSources(ServeSettings.all()).read(given, Map.of(), environment, file));
  }

  private Path file(String yaml) throws IOException {
    return Files.writeString(dir.resolve("node.yaml"), yaml);
  }

  private static List<String> problems(
      Map<String, String> commandLine, Map<String, String> environment, @Nullable Path file) {
    SettingsException thrown =
        catchThrowableOfType(
            SettingsException.class, () -> options(commandLine, environment, file));
    return thrown.problems();
  }

  @Test
  void takesTheFirstSourceThatHasIt() throws IOException {
    Path file = file("max-running: 5\nmax-waiting: 6\nheartbeat: 7s\nfaults: [slow-node]\n");
    Map<String, String> environment =
        Map.of("SERVEDRIFT_MAX_RUNNING", "3", "SERVEDRIFT_MAX_WAITING", "4", "PATH", "x");

    ServeOptions options = options(Map.of("max-running", "2"), environment, file);

    assertThat(options.limits().maxRunning()).isEqualTo(2);
    assertThat(options.limits().maxWaiting()).isEqualTo(4);
    assertThat(options.node().heartbeat()).isEqualTo(Duration.ofSeconds(7));
    assertThat(options.limits().maxBatchSize()).isEqualTo(8);
    assertThat(options.faults()).containsExactly(Fault.SLOW_NODE);
  }

  @Test
  void hasTheDocumentedDefaults() {
    ServeOptions options = options(Map.of(), Map.of(), null);

    assertThat(options.limits().mode()).isEqualTo(BatchingMode.CONTINUOUS);
    assertThat(options.engine().precision()).isEqualTo(Precision.FP32);
    assertThat(options.engine().sampler()).isNull();
    assertThat(options.engine().conditioningCacheBytes()).isEqualTo(64L << 20);
    assertThat(options.listen().http().host()).isEqualTo("127.0.0.1");
    assertThat(options.listen().http().port()).isEqualTo(8000);
    assertThat(options.listen().http().tls()).isNull();
    assertThat(options.api().maxBodyBytes()).isEqualTo(65_536);
    assertThat(options.faults()).isEmpty();
    assertThat(options.listen().warnings()).isEmpty();
  }

  @Test
  void readsEveryKindOfValue() {
    ServeOptions options =
        options(
            Map.of(
                "precision", "int8",
                "sampler", "dpmpp_2m",
                "cache-size", "0B",
                "request-timeout", "1.5s",
                "drain", "PT2M",
                "score-share", "0.25",
                "faults", "slow-node, eviction-storm"),
            Map.of("SERVEDRIFT_KAFKA_MAX_BLOCK_MS", "7"),
            null);

    assertThat(options.engine().precision()).isEqualTo(Precision.INT8);
    assertThat(options.engine().sampler()).isEqualTo(SamplerKind.DPMPP_2M);
    assertThat(options.engine().conditioningCacheBytes()).isZero();
    assertThat(options.api().maxTimeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(options.node().drain()).isEqualTo(Duration.ofMinutes(2));
    assertThat(options.scoreShare()).isEqualTo(0.25);
    assertThat(options.faults()).containsExactly(Fault.EVICTION_STORM, Fault.SLOW_NODE);
    assertThat(options.publish().publisher().kafka())
        .containsEntry("max.block.ms", "7")
        .containsEntry("bootstrap.servers", "localhost:9092");
  }

  @Test
  void tellsEveryProblemAtOnce_withTheNearestName() throws IOException {
    Path file = file("max-batchsize: 4\nport: [x]\nkafka: 7\n");

    assertThat(
            problems(
                Map.of("mode", "batched", "heartbeat", "10"),
                Map.of("SERVEDRIFT_MAX_RUNING", "3", "SERVEDRIFT_THREADS", "0"),
                file))
        .containsExactlyInAnyOrder(
            "SERVEDRIFT_MAX_RUNING: unknown setting in the environment, did you mean"
                + " SERVEDRIFT_MAX_RUNNING?",
            file + ": max-batchsize: unknown setting, did you mean max-batch-size?",
            file + ": kafka: must be a map of properties of the Kafka client",
            file + ": port=x: must be a whole number from 0 to 65535",
            "SERVEDRIFT_THREADS=0: must be a whole number from 1 to 1024",
            "--mode=batched: must be one of continuous, single",
            "--heartbeat=10: must be a duration (500ms, 30s, 5m, PT1H) from 1s to 5m");
  }

  @Test
  void saysWhatIsMissing_andWhatDoesNotFitTogether() {
    assertThat(
            catchThrowableOfType(
                    SettingsException.class,
                    () ->
                        ServeOptions.of(
                            new SettingSources(ServeSettings.all())
                                .read(Map.of("key-file", "k"), Map.of(), Map.of(), null)))
                .problems())
        .containsExactlyInAnyOrder(
            "model: must be given, as --model DIR",
            "bootstrap-servers: must be given, as --bootstrap-servers HOST:PORT,...",
            "certificate-file and key-file: one needs the other");
    assertThat(problems(Map.of("faults", "slow"), Map.of(), null).get(0))
        .startsWith("faults: fault=slow: must be one of conditioning-key-collision");
  }

  @Test
  void refusesSecretsThatCannotBeUsed_withoutSayingThem() throws IOException {
    Path secret = Files.writeString(dir.resolve("secret"), "hunter2");

    assertThat(
            problems(
                Map.of("token-file", secret.toString(), "prompt-hash-key-file", secret.toString()),
                Map.of(),
                null))
        .hasSize(2)
        .noneMatch(problem -> problem.contains("hunter2"));
  }

  @Test
  void warns_whenOthersCanReachItUnguarded() {
    assertThat(options(Map.of("host", "0.0.0.0"), Map.of(), null).listen().warnings())
        .hasSize(2)
        .allMatch(warning -> warning.startsWith("host=0.0.0.0 can be reached"));
  }

  @Test
  void refusesWhatIsNoSettingsFile() throws IOException {
    assertThat(problems(Map.of(), Map.of(), file("- a\n")))
        .containsExactly(dir.resolve("node.yaml") + ": must be a map of settings (key: value)");
    assertThat(problems(Map.of(), Map.of(), file("port: 1\nport: 2\n")).get(0))
        .contains("not YAML: Duplicate");
    assertThat(problems(Map.of(), Map.of(), dir.resolve("none")))
        .containsExactly(dir.resolve("none") + ": must be a readable settings file");
  }
}
