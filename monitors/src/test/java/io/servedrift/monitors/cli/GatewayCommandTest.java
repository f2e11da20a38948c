package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.ingest.gateway.GatewayExtras;
import io.servedrift.ingest.gateway.GatewaySettings;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayCommandTest {

  private final CommandLineHarness harness = new CommandLineHarness();

  private int gateway(String... more) {
    String[] all = new String[more.length + 7];
    all[0] = "gateway";
    all[1] = "--bootstrap-servers";
    all[2] = "127.0.0.1:1";
    all[3] = "--deployment";
    all[4] = "d";
    all[5] = "--http-port";
    all[6] = "0";
    System.arraycopy(more, 0, all, 7, more.length);
    return harness.run(all);
  }

  @Test
  void asksForUpstreamAndDeployment() {
    assertThat(harness.run("gateway")).isEqualTo(2);
    assertThat(harness.err()).contains("upstream: needed").contains("deployment: needed");
  }

  @Test
  void showsInItsHelpWhatHoldsForIt() {
    assertThat(harness.run("gateway", "--help")).isZero();
    assertThat(harness.out().replaceAll("\\s+", " "))
        .contains("Default: 8091. Environment: SERVEDRIFT_HTTP_PORT")
        .contains("Default: 127.0.0.1:8090. Environment: SERVEDRIFT_LISTEN")
        .doesNotContain("8080")
        .doesNotContain("embedded");
  }

  @Test
  void startsNoBroker_whateverSettingsItSharesWithTheMonitor() {
    harness.environment("SERVEDRIFT_EMBEDDED", "/none/such");
    assertThat(
            harness.run(
                "gateway",
                "--upstream",
                "http://127.0.0.1:1",
                "--deployment",
                "d",
                "--http-port",
                "0",
                "--listen",
                "0"))
        .isEqualTo(2);
    assertThat(harness.err())
        .contains("no broker given: needs --bootstrap-servers HOST:PORT; the embedded one belongs");
  }

  @Test
  void reportsEveryProblemOfTheValues() {
    assertThat(
            gateway(
                "--upstream",
                "ftp:/x y",
                "--listen",
                "nowhere:99999",
                "--upstream-timeout",
                "soon",
                "--config-every",
                "never",
                "--canary-every",
                "10ms",
                "--scorer-url",
                "x",
                "--scorer-share",
                "2"))
        .isEqualTo(2);
    assertThat(harness.err())
        .contains("--upstream=ftp:/x y: must be an http:// or https:// URL")
        .contains("--listen=nowhere:99999: must be [HOST:]PORT")
        .contains("--upstream-timeout=soon: must be a duration")
        .contains("--config-every=never: must be a duration (30s, 5m, PT1H) from 1s to 24h, or off")
        .contains("--canary-every=10ms: must be a duration")
        .contains("--scorer-url=x: must be an http:// or https:// URL")
        .contains("--scorer-share=2: must be a number above 0, at most 1");
  }

  @Test
  void refusesUpstreamsThatAreMoreThanAnAddress() {
    for (String url : new String[] {"ftp://x", "http://u:p@x", "http://x/?q", "mailto:x"}) {
      assertThat(gateway("--upstream", url)).as(url).isEqualTo(2);
      assertThat(harness.err()).contains("must be an http:// or https:// URL");
    }
  }

  @Test
  void reportsEveryProblemOfTheFiles(@TempDir Path folder) throws IOException {
    Path canaries = Files.writeString(folder.resolve("c.yaml"), "- {name: a}\n- 7\n");
    assertThat(
            gateway(
                "--upstream",
                "http://127.0.0.1:1",
                "--prompt-hash-key-file",
                "/none/such",
                "--canaries",
                canaries.toString()))
        .isEqualTo(2);
    assertThat(harness.err())
        .contains(
            "prompt-hash-key-file: /none/such: no such file; must be a readable file with the key")
        .contains("canaries: ")
        .contains("entry 1: needs either prompt")
        .contains("entry 2: must be an object");
  }

  @Test
  void takesCommandLineOverEnvironmentOverFileOverDefault(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("s.yaml"),
            """
            upstream: http://file:1/v
            deployment: of-file
            node: of-file
            config-every: off
            canary-every: 2m
            """);
    Settings settings =
        SettingsResolver.resolve(
            Map.of("upstream", "http://line:1"),
            Map.of(),
            Map.of(
                "SERVEDRIFT_UPSTREAM",
                "http://environment:1",
                "SERVEDRIFT_NODE",
                "of-environment",
                "SERVEDRIFT_LISTEN",
                "[::1]:9"),
            file,
            Map.of());
    GatewayOptions options = GatewayOptions.of(settings);
    assertThat(options.gateway().upstream()).isEqualTo(URI.create("http://line:1"));
    assertThat(options.gateway().node()).isEqualTo("of-environment");
    assertThat(options.gateway().deployment()).isEqualTo("of-file");
    assertThat(options.gateway().host()).isEqualTo("[::1]");
    assertThat(options.gateway().port()).isEqualTo(9);
    assertThat(options.gateway().upstreamTimeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(options.extras().configEvery()).isNull();
    assertThat(options.extras().canaryEvery()).isEqualTo(Duration.ofMinutes(2));
    assertThat(options.extras().scorer()).isNull();
  }

  @Test
  void listensOnLoopbackUnlessToldOtherwise() {
    Map<String, String> needed = Map.of("upstream", "http://x:1", "deployment", "d");
    Settings settings =
        SettingsResolver.resolve(needed, Map.of(), Map.of(), null, Map.of("listen", "8095"));
    assertThat(GatewayOptions.of(settings).gateway().host()).isEqualTo("127.0.0.1");
    assertThat(GatewayOptions.of(settings).gateway().port()).isEqualTo(8095);
    settings = SettingsResolver.resolve(needed, Map.of(), Map.of(), null, Map.of());
    assertThat(GatewayOptions.of(settings).gateway().host()).isEqualTo("127.0.0.1");
  }

  @Test
  void saysSo_whenItsPortIsTaken() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(
              gateway(
                  "--upstream",
                  "http://127.0.0.1:1",
                  "--listen",
                  String.valueOf(other.getLocalPort())))
          .isEqualTo(2);
      assertThat(harness.err()).contains("--listen=127.0.0.1:").contains("the port is in use");
    }
  }

  @Test
  void keepsMetricsAndHealthApartFromTraffic() throws Exception {
    Settings settings =
        SettingsResolver.resolve(
            Map.of("bootstrap-servers", "127.0.0.1:1", "http-port", "0"),
            Map.of(),
            Map.of(),
            null,
            Map.of());
    GatewaySettings gateway =
        GatewaySettings.of(URI.create("http://127.0.0.1:1"), "d").withAddress("127.0.0.1", 0);
    try (BrokerConnection broker = BrokerConnection.open(settings);
        GatewayProcess process =
            GatewayProcess.start(
                gateway,
                GatewayExtras.NONE,
                settings,
                ListenAddress.of(settings),
                broker,
                Clock.systemUTC())) {
      assertThat(post(process.address() + "/v1/chat/completions").statusCode()).isEqualTo(502);
      assertThat(get(process.address() + "/metrics").statusCode()).isEqualTo(502);
      assertThat(get(process.admin() + "/-/healthy").statusCode()).isEqualTo(200);
      assertThat(get(process.admin() + "/-/ready").statusCode()).isEqualTo(503);
      assertThat(get(process.admin() + "/metrics").body())
          .contains("servedrift_gateway_events_total{what=\"measured\"} 1.0")
          .contains("servedrift_gateway_events_total{what=\"passed\"} 1.0")
          .contains("servedrift_gateway_events_total{what=\"upstream_failed\"} 1.0")
          .contains("servedrift_gateway_now{what=\"running\"} 0.0")
          .contains("servedrift_gateway_publisher_total{what=\"published\"} 0.0");
    }
  }

  private static HttpResponse<String> get(String url) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(url)));
  }

  private static HttpResponse<String> post(String url) throws Exception {
    return send(
        HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.ofString("{}")));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
  }
}
