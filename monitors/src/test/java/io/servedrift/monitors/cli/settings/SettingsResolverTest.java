package io.servedrift.monitors.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsResolverTest {

  private static final Map<String, String> NOTHING = Map.of();

  @TempDir private Path folder;

  @Test
  void usesDefaults_whenNothingIsGiven() {
    Settings settings = resolve(NOTHING, NOTHING);

    assertThat(settings.get(SettingsCatalogue.PANE)).isEqualTo(Duration.ofSeconds(60));
    assertThat(settings.get(SettingsCatalogue.WINDOWS))
        .containsExactly(Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofHours(24));
    assertThat(settings.find(SettingsCatalogue.BOOTSTRAP_SERVERS)).isEmpty();
    assertThat(settings.applicationId()).isEqualTo("servedrift-monitor");
    assertThat(settings.sourceOf(SettingsCatalogue.PANE)).isEqualTo(SettingSource.DEFAULT);
  }

  @Test
  void prefersCommandLineThenEnvironmentThenFile() throws IOException {
    Path file = file("http-port: 1001", "pane: 10s", "grace: 3s");
    Map<String, String> environment =
        Map.of("SERVEDRIFT_HTTP_PORT", "1002", "SERVEDRIFT_PANE", "20s");

    Settings settings =
        SettingsResolver.resolve(Map.of("http-port", "1003"), NOTHING, environment, file, NOTHING);

    assertThat(settings.get(SettingsCatalogue.HTTP_PORT)).isEqualTo(1003);
    assertThat(settings.get(SettingsCatalogue.PANE)).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.get(SettingsCatalogue.GRACE)).isEqualTo(Duration.ofSeconds(3));
    assertThat(settings.lines())
        .contains(
            new Settings.Line("http-port", "1003", "command line"),
            new Settings.Line("pane", "20s", "environment"),
            new Settings.Line("grace", "3s", "file"),
            new Settings.Line("tick", "1s", "default"));
  }

  @Test
  void readsListsAndKafkaMap_whenFileHoldsThem() throws IOException {
    Path file =
        file(
            "windows: [2m, 10m]",
            "kafka:",
            "  max.block.ms: 100",
            "  ssl:",
            "    truststore.location: /etc/trust.jks");

    Settings settings = SettingsResolver.resolve(NOTHING, NOTHING, NOTHING, file, NOTHING);

    assertThat(settings.get(SettingsCatalogue.WINDOWS))
        .containsExactly(Duration.ofMinutes(2), Duration.ofMinutes(10));
    assertThat(settings.kafka())
        .containsOnly(
            Map.entry("max.block.ms", "100"),
            Map.entry("ssl.truststore.location", "/etc/trust.jks"));
  }

  @Test
  void namesNearestKey_whenKeyIsUnknown() throws IOException {
    Path file = file("htp-port: 80", "zzzzzzzzzzzzzzzzzzzzzzzz: 1");

    List<String> problems = problems(NOTHING, Map.of("SERVEDRIFT_GRCE", "1s"), file);

    assertThat(problems)
        .containsExactly(
            "SERVEDRIFT_GRCE: unknown setting in the environment; did you mean SERVEDRIFT_GRACE?",
            file + ": htp-port: unknown setting; did you mean http-port?",
            file + ": zzzzzzzzzzzzzzzzzzzzzzzz: unknown setting");
  }

  @Test
  void reportsEveryProblemAtOnce_withValueAllowedAndWhere() throws IOException {
    Path file = file("pane: 60", "tick: [1s, null]");

    List<String> problems =
        problems(Map.of("http-port", "70000"), Map.of("SERVEDRIFT_GRACE", "2h"), file);

    assertThat(problems)
        .containsExactly(
            file
                + ": tick: must be a value or a list of values, found a list with maps or empty"
                + " items",
            file + ": pane=60: must be a duration (30s, 5m, PT1H) from 1s to 1h",
            "SERVEDRIFT_GRACE=2h: must be a duration (30s, 5m, PT1H) from 0s to 1h",
            "--http-port=70000: must be a whole number from 0 to 65535");
  }

  @Test
  void ignoresVariablesOfOthers() {
    Settings settings = resolve(NOTHING, Map.of("HOME", "/root", "SERVEDRIFT_JAVA_OPTS", "-Xmx1g"));

    assertThat(settings.get(SettingsCatalogue.HTTP_PORT)).isEqualTo(8080);
  }

  @Test
  void refusesWindows_whenTheyDoNotNest() {
    assertThat(problems(Map.of("windows", "90s"), NOTHING, null))
        .containsExactly("windows: 90s must be a multiple of the pane 1m");
    assertThat(problems(Map.of("windows", "5m,12m"), NOTHING, null))
        .containsExactly("windows: 12m must be a multiple of the window before it 5m and longer");
    assertThat(problems(Map.of("windows", "5m,5m"), NOTHING, null))
        .containsExactly("windows: 5m must be a multiple of the window before it 5m and longer");
    assertThat(problems(Map.of("windows", "30s"), NOTHING, null))
        .containsExactly("windows: 30s must be a multiple of the pane 1m");
  }

  @Test
  void acceptsWindowAsLongAsThePane() {
    Settings settings = resolve(Map.of("windows", "60s,5m"), NOTHING);

    assertThat(settings.get(SettingsCatalogue.WINDOWS)).hasSize(2);
  }

  /** The rule that sees that nothing is sent takes three minutes without for a failure. */
  @Test
  void refusesToSendAlertsLessThanOnceAMinute() {
    assertThat(resolve(Map.of("alert-resend", "60s"), NOTHING).get(SettingsCatalogue.ALERT_RESEND))
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(problems(Map.of("alert-resend", "61s"), NOTHING, null))
        .singleElement()
        .asString()
        .contains("alert-resend=61s", "from 1s to 1m");
  }

  @Test
  void refusesHorizon_whenShorterThanTheGraces() {
    assertThat(problems(Map.of("horizon", "1m"), NOTHING, null))
        .containsExactly("horizon=1m: must be at least pane + grace + score-grace = 190s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "*.example", "drift.example:8080", "[::1]", "a,*"})
  void refusesAllowedHost_whenItCouldNeverMatch(String hosts) {
    assertThat(problems(Map.of("allowed-hosts", hosts), NOTHING, null))
        .containsExactly(
            "--allowed-hosts="
                + hosts
                + ": must be host names without port and without *, separated by commas");
  }

  @Test
  void refusesTls_whenHalfOfItIsMissingOrItIsGivenTwice() {
    assertThat(problems(Map.of("http-keystore-file", "a", "http-key-file", "b"), NOTHING, null))
        .containsExactly(
            "http-keystore-file: needs http-keystore-password-file as well",
            "http-key-file: needs http-certificate-file as well",
            "http-keystore-file and http-certificate-file: only one of them may be given, both hold"
                + " the certificate");
    assertThat(
            resolve(Map.of("http-certificate-file", "a", "http-key-file", "b"), NOTHING)
                .find(SettingsCatalogue.HTTP_KEY_FILE))
        .hasValue(Path.of("b"));
  }

  @Test
  void refusesTwoBrokers_whenTheSameSourceNamesBoth() {
    Map<String, String> both = Map.of("bootstrap-servers", "a:9092", "embedded", "/data");

    assertThat(problems(both, NOTHING, null))
        .containsExactly(
            "bootstrap-servers and embedded: only one of them may be given, both come from the"
                + " command line");
  }

  @Test
  void strongerSourceChoosesTheBroker_whenSourcesDiffer() {
    Settings settings =
        resolve(Map.of("embedded", "/data"), Map.of("SERVEDRIFT_BOOTSTRAP_SERVERS", "kafka:9092"));

    assertThat(settings.find(SettingsCatalogue.EMBEDDED)).contains(Path.of("/data"));
    assertThat(settings.find(SettingsCatalogue.BOOTSTRAP_SERVERS)).isEmpty();
  }

  @Test
  void masksSecrets_whenShown() throws IOException {
    Path secret = Files.writeString(folder.resolve("password"), "hunter2\n");
    Settings settings =
        resolve(
            NOTHING,
            Map.of(
                "SERVEDRIFT_KAFKA_SASL_JAAS_CONFIG", "login password=hunter1",
                "SERVEDRIFT_KAFKA_SSL_KEY_PASSWORD_FILE", secret.toString(),
                "SERVEDRIFT_SCHEMA_REGISTRY_URL", "https://me:hunter3@registry:8081"));

    assertThat(settings.kafka()).containsEntry("ssl.key.password", "hunter2");
    assertThat(settings.lines())
        .contains(
            new Settings.Line("kafka.sasl.jaas.config", "********", "environment"),
            new Settings.Line("kafka.ssl.key.password", "********", "environment"),
            new Settings.Line(
                "schema-registry-url", "https://********@registry:8081", "environment"));
    assertThat(settings.lines().toString()).doesNotContain("hunter");
  }

  @Test
  void neverRepeatsCredentials_whenTheUrlIsWrong() {
    assertThat(
            problems(
                NOTHING, Map.of("SERVEDRIFT_SCHEMA_REGISTRY_URL", "ftp://me:hunter3@host"), null))
        .singleElement()
        .asString()
        .doesNotContain("hunter3");
  }

  @Test
  void refusesSecret_whenGivenOnTheCommandLine() {
    SettingsException thrown =
        catchThrowableOfType(
            SettingsException.class,
            () ->
                SettingsResolver.resolve(
                    NOTHING, Map.of("ssl.key.password", "hunter2"), NOTHING, null, NOTHING));

    assertThat(thrown.problems())
        .singleElement()
        .asString()
        .startsWith("--kafka ssl.key.password: a secret must not be given on the command line")
        .doesNotContain("hunter2");
  }

  @Test
  void keepsThePropertiesOfTheTwoClustersApart() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "hunter2\n");
    Settings settings =
        SettingsResolver.resolve(
            NOTHING,
            Map.of("client.rack", "own"),
            Map.of("client.rack", "source"),
            Map.of(
                "SERVEDRIFT_KAFKA_SECURITY_PROTOCOL", "SSL",
                "SERVEDRIFT_SOURCE_KAFKA_SECURITY_PROTOCOL", "SASL_SSL",
                "SERVEDRIFT_SOURCE_KAFKA_SASL_JAAS_CONFIG_FILE", secret.toString()),
            file("source-kafka:", "  sasl.mechanism: PLAIN", "  fetch: {min.bytes: 9}"),
            NOTHING);

    assertThat(settings.kafka())
        .isEqualTo(Map.of("client.rack", "own", "security.protocol", "SSL"));
    assertThat(settings.sourceKafka())
        .isEqualTo(
            Map.of(
                "client.rack", "source",
                "security.protocol", "SASL_SSL",
                "sasl.jaas.config", "hunter2",
                "sasl.mechanism", "PLAIN",
                "fetch.min.bytes", "9"));
    assertThat(settings.lines())
        .contains(new Settings.Line("source-kafka.sasl.jaas.config", "********", "environment"));
  }

  @Test
  void refusesASecretOfTheSourceOnTheCommandLine_andWhatHasItsOwnSetting() {
    SettingsException thrown =
        catchThrowableOfType(
            SettingsException.class,
            () ->
                SettingsResolver.resolve(
                    NOTHING,
                    NOTHING,
                    Map.of("sasl.jaas.config", "hunter2", "group.id", "g"),
                    NOTHING,
                    null,
                    NOTHING));

    assertThat(thrown.problems())
        .hasSize(2)
        .anyMatch(text -> text.startsWith("--source-kafka sasl.jaas.config: a secret must not"))
        .contains("--source-kafka group.id: group.id must be given as the setting source-group")
        .noneMatch(text -> text.contains("hunter2"));
  }

  @Test
  void refusesKafkaPropertiesThatHaveTheirOwnSetting() {
    assertThat(problems(NOTHING, Map.of("SERVEDRIFT_KAFKA_BOOTSTRAP_SERVERS", "a:1"), null))
        .containsExactly(
            "SERVEDRIFT_KAFKA_BOOTSTRAP_SERVERS: bootstrap.servers must be given as the setting"
                + " bootstrap-servers");
  }

  @Test
  void saysSo_whenTheFileIsMissingOrBroken() throws IOException {
    Path missing = folder.resolve("missing.yaml");
    Path broken = file("pane: [1s");
    Path list = file("- pane");

    assertThat(problems(NOTHING, NOTHING, missing))
        .containsExactly(missing + ": no such file (settings file)");
    assertThat(problems(NOTHING, NOTHING, list))
        .containsExactly(
            list
                + ": must be a map of settings (key: value), found a list with maps or empty"
                + " items");
    assertThat(problems(NOTHING, NOTHING, file("pane: [1s")))
        .singleElement()
        .asString()
        .startsWith(broken + ": not YAML: ");
  }

  @Test
  void acceptsEmptyFile() throws IOException {
    Settings settings = SettingsResolver.resolve(NOTHING, NOTHING, NOTHING, file(""), NOTHING);

    assertThat(settings.get(SettingsCatalogue.TICK)).isEqualTo(Duration.ofSeconds(1));
  }

  private static Settings resolve(
      Map<String, String> commandLine, Map<String, String> environment) {
    return SettingsResolver.resolve(commandLine, NOTHING, environment, null, NOTHING);
  }

  private static List<String> problems(
      Map<String, String> commandLine, Map<String, String> environment, Path file) {
    return catchThrowableOfType(
            SettingsException.class,
            () -> SettingsResolver.resolve(commandLine, NOTHING, environment, file, NOTHING))
        .problems();
  }

  private Path file(String... lines) throws IOException {
    return Files.write(folder.resolve("servedrift.yaml"), List.of(lines));
  }
}
