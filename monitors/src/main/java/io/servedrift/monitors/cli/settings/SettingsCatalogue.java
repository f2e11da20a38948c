package io.servedrift.monitors.cli.settings;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Every setting but those of {@link GatewayCatalogue} and {@link ImportCatalogue}, in the order of
 * the documentation.
 */
public final class SettingsCatalogue {

  public static final Setting<String> BOOTSTRAP_SERVERS =
      Setting.optional(
          "bootstrap-servers",
          SettingType.hostPorts(),
          "none",
          "The Kafka cluster. Not together with embedded.");
  public static final Setting<Path> EMBEDDED =
      Setting.optional(
          "embedded",
          SettingType.path("DIR"),
          "none",
          "Start a broker of our own in this process; its data lives in DIR and survives a"
              + " restart.");
  public static final Setting<String> TOPIC_PREFIX =
      Setting.of(
          "topic-prefix",
          SettingType.text(
              "PREFIX", "[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", "1 to 40 of a-z, 0-9 and inner -"),
          "servedrift",
          "First part of every topic name.");
  public static final Setting<String> APPLICATION_ID =
      Setting.optional(
          "application-id",
          SettingType.text("ID", "[A-Za-z0-9._-]{1,100}", "1 to 100 of A-Z, a-z, 0-9, . _ and -"),
          "topic-prefix + `-monitor`",
          "Kafka Streams application id; instances that share the work share it.");
  public static final Setting<URI> SCHEMA_REGISTRY_URL =
      Setting.optional(
          "schema-registry-url",
          SettingType.url(),
          "none",
          "Schema registry for records with the 5-byte registry header; without it they become"
              + " dead letters.");

  public static final Setting<Duration> PANE =
      Setting.of(
          "pane",
          SettingType.duration("1s", "1h"),
          "60s",
          "The smallest time slice that is aggregated.");
  public static final Setting<List<Duration>> WINDOWS =
      Setting.of(
          "windows",
          SettingType.durations("1s", "7d"),
          "5m,1h,24h",
          "Window lengths, ascending; each a multiple of the one before, the first of the pane.");
  public static final Setting<Duration> GRACE =
      Setting.of(
          "grace",
          SettingType.duration("0s", "1h"),
          "10s",
          "How far behind the clock of its partition (its last tick) a record may lie before it is"
              + " late. Below 1s some of all events are: publishers gather for up to 100 ms.");
  public static final Setting<Duration> SCORE_GRACE =
      Setting.of(
          "score-grace",
          SettingType.duration("0s", "1h"),
          "2m",
          "How much later score panes close than latency panes.");
  public static final Setting<Duration> HORIZON =
      Setting.of(
          "horizon",
          SettingType.duration("1s", "24h"),
          "15m",
          "How long a request is remembered for de-duplication and late scores; at least"
              + " pane + grace + score-grace.");
  public static final Setting<Duration> FUTURE_LIMIT =
      Setting.of(
          "future-limit",
          SettingType.duration("1s", "1h"),
          "60s",
          "How far ahead of the last tick a record may lie before it waits or becomes a dead"
              + " letter.");
  public static final Setting<Duration> TICK =
      Setting.of(
          "tick",
          SettingType.duration("100ms", "60s"),
          "1s",
          "How often time is written into each input partition.");
  public static final Setting<Duration> COMMIT_INTERVAL =
      Setting.of(
          "commit-interval",
          SettingType.duration("100ms", "60s"),
          "1s",
          "How often the topology commits.");

  public static final Setting<Integer> SERIES_LIMIT =
      Setting.of(
          "series-limit",
          SettingType.integer(1, 100_000),
          "200",
          "(model, configuration) pairs kept apart per deployment and pane; the rest is counted"
              + " together as `other`.");
  public static final Setting<Integer> CELL_LIMIT =
      Setting.of(
          "cell-limit",
          SettingType.integer(1, 10_000),
          "400",
          "Joint cells kept apart per series and pane; the rest is counted together as `other`.");
  public static final Setting<Integer> CLASS_LIMIT =
      Setting.of(
          "class-limit",
          SettingType.integer(1, 1_000),
          "32",
          "Values kept apart per open-ended covariate (prompt class, workload, node, scorer).");
  public static final Setting<List<String>> METRIC_LAYOUTS =
      Setting.optional(
          "metric-layouts",
          SettingType.texts(
              "NAME=LAYOUT,...",
              "[A-Za-z0-9_:.-]+=[a-z0-9:.e-]+",
              "name=layout pairs separated by commas"),
          "by metric",
          "Histogram layout of a score whose range differs from the usual one, for example"
              + " `clip=lin:-100:100:2048`.");
  public static final Setting<Path> POLICY =
      Setting.optional(
          "policy",
          SettingType.path("FILE"),
          "the built-in policy",
          "YAML file with what findings are judged by, at most 1 MiB; see Policy.");
  public static final Setting<Duration> SILENCE =
      Setting.of(
          "silence",
          SettingType.duration("1m", "24h"),
          "15m",
          "How long a deployment, or a metric of it, must be without data at least before"
              + " ServedriftDataMissing says so.");
  public static final Setting<Integer> HELD_LIMIT =
      Setting.of(
          "held-limit",
          SettingType.integer(1, 1_000_000),
          "10000",
          "Records that may wait for the next tick of their partition; then the earliest passes.");
  public static final Setting<Integer> METRIC_CONFIG_LIMIT =
      Setting.of(
          "metric-config-limit",
          SettingType.integer(1, 10_000),
          "50",
          "Configurations with their own `config_id` label on /metrics; the rest is `other`.");
  public static final Setting<Integer> STREAM_THREADS =
      Setting.of(
          "stream-threads",
          SettingType.integer(1, 64),
          "2",
          "Threads of the topology in this process.");
  public static final Setting<Path> STATE_DIR =
      Setting.optional(
          "state-dir",
          SettingType.path("DIR"),
          "a temporary folder",
          "Working files of Kafka Streams; losing them loses no data.");

  public static final Setting<String> HTTP_HOST =
      Setting.of(
          "http-host",
          SettingType.text("HOST", "[A-Za-z0-9.:_-]{1,253}", "a host name or address"),
          "127.0.0.1",
          "Address the HTTP server listens on.");
  public static final Setting<Integer> HTTP_PORT =
      Setting.of(
          "http-port",
          SettingType.integer(0, 65_535),
          "8080",
          "Port the HTTP server listens on; 0 takes a free one and logs it.");
  public static final Setting<List<String>> ALLOWED_HOSTS =
      Setting.optional(
          "allowed-hosts",
          SettingType.texts(
              "HOST,...",
              "[A-Za-z0-9_][A-Za-z0-9._-]{0,252}",
              "host names without port and without *, separated by commas"),
          "none",
          "Host names under which the server may be asked, whatever the port, beside localhost,"
              + " http-host and IP addresses (against DNS rebinding).");
  public static final Setting<Path> HTTP_TOKEN_FILE =
      Setting.optional(
          "http-token-file",
          SettingType.path("FILE"),
          "none",
          "File with the bearer token that POST /v1/* and /api/v1/* then demand; the page"
              + " shows no data then.");
  public static final Setting<Path> HTTP_KEYSTORE_FILE =
      Setting.optional(
          "http-keystore-file",
          SettingType.path("FILE"),
          "none",
          "PKCS #12 key store with certificate and key: the server speaks HTTPS. Needs"
              + " http-keystore-password-file.");
  public static final Setting<Path> HTTP_KEYSTORE_PASSWORD_FILE =
      Setting.optional(
          "http-keystore-password-file",
          SettingType.path("FILE"),
          "none",
          "File with the password of the key store and its key.");
  public static final Setting<Path> HTTP_CERTIFICATE_FILE =
      Setting.optional(
          "http-certificate-file",
          SettingType.path("FILE"),
          "none",
          "PEM certificate and its chain, in place of a key store: the server speaks HTTPS."
              + " Needs http-key-file.");
  public static final Setting<Path> HTTP_KEY_FILE =
      Setting.optional(
          "http-key-file",
          SettingType.path("FILE"),
          "none",
          "Unencrypted PKCS #8 private key of that certificate, PEM.");
  public static final Setting<Integer> MAX_REQUEST_BYTES =
      Setting.of(
          "max-request-bytes",
          SettingType.size("1KiB", "256MiB"),
          "4MiB",
          "Largest HTTP body, as sent and as unpacked.");
  public static final Setting<Boolean> DEAD_LETTERS_RAW =
      Setting.of(
          "dead-letters-raw",
          SettingType.flag(),
          "false",
          "Keep the bytes of what cannot be parsed, not only their length and hash; may hold"
              + " prompts.");

  public static final Setting<List<URI>> ALERTMANAGER_URLS =
      Setting.optional(
          "alertmanager-urls",
          SettingType.bases(),
          "none: alerts are not sent",
          "Every replica of Alertmanager, not a load balancer before them.");
  public static final Setting<Duration> ALERT_RESEND =
      Setting.of(
          "alert-resend",
          // ServedriftForwardFailing of rules.yml counts on a sending a minute.
          SettingType.duration("1s", "1m"),
          "60s",
          "Pause between two sendings of an alert; after four of them without one, Alertmanager"
              + " takes it for resolved. At most a minute: ServedriftForwardFailing counts on it.");
  public static final Setting<Duration> ALERT_RESOLVED_FOR =
      Setting.of(
          "alert-resolved-for",
          SettingType.duration("5m", "24h"),
          "15m",
          "How long a resolved alert is still sent.");
  public static final Setting<Duration> ALERTMANAGER_TIMEOUT =
      Setting.of(
          "alertmanager-timeout",
          SettingType.duration("100ms", "60s"),
          "10s",
          "Longest wait for an answer of Alertmanager.");
  public static final Setting<String> ALERTMANAGER_USERNAME =
      Setting.optional(
          "alertmanager-username",
          SettingType.text("NAME", "[^:\\p{Cntrl}]{1,256}", "1 to 256 characters without colon"),
          "none",
          "User name for Alertmanager. Needs alertmanager-password-file.");
  public static final Setting<Path> ALERTMANAGER_PASSWORD_FILE =
      Setting.optional(
          "alertmanager-password-file",
          SettingType.path("FILE"),
          "none",
          "File with the password of alertmanager-username.");
  public static final Setting<Path> ALERTMANAGER_TOKEN_FILE =
      Setting.optional(
          "alertmanager-token-file",
          SettingType.path("FILE"),
          "none",
          "File with a bearer token for Alertmanager, in place of user name and password.");
  public static final Setting<Path> ALERTMANAGER_CA_FILE =
      Setting.optional(
          "alertmanager-ca-file",
          SettingType.path("FILE"),
          "those of the Java platform",
          "PEM certificates that sign the certificates of Alertmanager.");
  public static final Setting<Path> ALERTMANAGER_CERTIFICATE_FILE =
      Setting.optional(
          "alertmanager-certificate-file",
          SettingType.path("FILE"),
          "none",
          "PEM certificate and its chain to show to Alertmanager. Needs alertmanager-key-file.");
  public static final Setting<Path> ALERTMANAGER_KEY_FILE =
      Setting.optional(
          "alertmanager-key-file",
          SettingType.path("FILE"),
          "none",
          "Unencrypted PKCS #8 private key of that certificate, PEM.");
  public static final Setting<Path> ALERTMANAGER_HEADERS_FILE =
      Setting.optional(
          "alertmanager-headers-file",
          SettingType.path("FILE"),
          "none",
          "File with HTTP headers for Alertmanager, one `Name: value` a line, for example a"
              + " tenant.");
  public static final Setting<URI> EXTERNAL_URL =
      Setting.optional(
          "external-url",
          SettingType.base(),
          "where the HTTP server listens",
          "Address of this monitor as people reach it, for the links in alerts.");
  public static final Setting<URI> DASHBOARD_URL =
      Setting.optional(
          "dashboard-url",
          SettingType.link(),
          "none: no link",
          "Dashboard to link in alerts; `var-deployment`, `var-config_id` and `var-metric` are"
              + " added.");
  public static final Setting<URI> RUNBOOK_URL =
      Setting.optional(
          "runbook-url",
          SettingType.base(),
          "external-url + `/runbook`",
          "Where your copy of RUNBOOK.md is, if not here, to link in alerts; the name of the alert"
              + " is added as `#servedriftlatencyshift`.");

  public static final Setting<String> LOG_LEVEL =
      Setting.of(
          "log-level",
          SettingType.word("error", "warn", "info", "debug"),
          "info",
          "Least severity that is logged.");
  public static final Setting<String> LOG_FORMAT =
      Setting.of(
          "log-format", SettingType.word("text", "json"), "text", "One line of text or of JSON.");

  private static final List<Setting<?>> ALL =
      List.of(
          BOOTSTRAP_SERVERS,
          EMBEDDED,
          TOPIC_PREFIX,
          APPLICATION_ID,
          SCHEMA_REGISTRY_URL,
          PANE,
          WINDOWS,
          GRACE,
          SCORE_GRACE,
          HORIZON,
          FUTURE_LIMIT,
          TICK,
          COMMIT_INTERVAL,
          SERIES_LIMIT,
          CELL_LIMIT,
          CLASS_LIMIT,
          METRIC_LAYOUTS,
          POLICY,
          SILENCE,
          HELD_LIMIT,
          METRIC_CONFIG_LIMIT,
          STREAM_THREADS,
          STATE_DIR,
          HTTP_HOST,
          HTTP_PORT,
          ALLOWED_HOSTS,
          HTTP_TOKEN_FILE,
          HTTP_KEYSTORE_FILE,
          HTTP_KEYSTORE_PASSWORD_FILE,
          HTTP_CERTIFICATE_FILE,
          HTTP_KEY_FILE,
          MAX_REQUEST_BYTES,
          DEAD_LETTERS_RAW,
          ALERTMANAGER_URLS,
          ALERT_RESEND,
          ALERT_RESOLVED_FOR,
          ALERTMANAGER_TIMEOUT,
          ALERTMANAGER_USERNAME,
          ALERTMANAGER_PASSWORD_FILE,
          ALERTMANAGER_TOKEN_FILE,
          ALERTMANAGER_CA_FILE,
          ALERTMANAGER_CERTIFICATE_FILE,
          ALERTMANAGER_KEY_FILE,
          ALERTMANAGER_HEADERS_FILE,
          EXTERNAL_URL,
          DASHBOARD_URL,
          RUNBOOK_URL,
          LOG_LEVEL,
          LOG_FORMAT);

  /** Variables with our prefix that other parts read: the launcher, the publishers, the tests. */
  static final Set<String> FOREIGN_ENVIRONMENT =
      Set.of("SERVEDRIFT_CONFIG", "SERVEDRIFT_JAVA_OPTS", "SERVEDRIFT_TEST_DATA");

  private SettingsCatalogue() {}

  /** Every setting, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }
}
