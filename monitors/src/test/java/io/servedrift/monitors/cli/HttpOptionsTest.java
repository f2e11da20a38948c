package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.Javalin;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpOptionsTest {

  private static final String TOKEN = "0123456789abcdef";
  private static final String PASSWORD = "correct-horse";

  @TempDir private Path folder;

  private static HttpOptions options(Map<String, String> commandLine) {
    Map<String, String> all = new HashMap<>(commandLine);
    all.putIfAbsent("http-port", "0");
    Settings settings = SettingsResolver.resolve(all, Map.of(), Map.of(), null, Map.of());
    return HttpOptions.of(settings, ListenAddress.of(settings));
  }

  private static Javalin server(HttpOptions options) {
    return options
        .server(
            config -> {
              config.routes.post("/v1/events", ctx -> ctx.result("taken"));
              for (String path : List.of("/", "/api/v1/series", "/metrics", "/-/ready")) {
                config.routes.get(path, ctx -> ctx.result("shown"));
              }
            })
        .start();
  }

  private static int status(HttpClient client, String url, String method, String token)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).method(method, HttpRequest.BodyPublishers.noBody());
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  @Test
  void asksForTheTokenWhereDataIs_whenOneIsSet() throws Exception {
    Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    HttpOptions options = options(Map.of("http-token-file", file.toString()));
    assertThat(options.guarded()).isTrue();
    Javalin server = server(options);
    try {
      HttpClient client = HttpClient.newHttpClient();
      String base = "http://127.0.0.1:" + server.port();
      assertThat(status(client, base + "/v1/events", "POST", null)).isEqualTo(401);
      assertThat(status(client, base + "/v1/events", "POST", TOKEN)).isEqualTo(200);
      for (String path : List.of("/api/v1/series", "/api/v1/series/", "/api/v1/none")) {
        assertThat(status(client, base + path, "GET", null)).as(path).isEqualTo(401);
      }
      assertThat(status(client, base + "/api/v1/series", "GET", "another-token-1234"))
          .isEqualTo(401);
      assertThat(status(client, base + "/api/v1/series", "GET", TOKEN)).isEqualTo(200);
      for (String path : List.of("/", "/metrics", "/-/ready")) {
        assertThat(status(client, base + path, "GET", null)).as(path).isEqualTo(200);
      }
    } finally {
      server.stop();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"key store", "PEM"})
  void speaksHttps_whenGivenACertificate(String kind) throws Exception {
    Path store = keyStore();
    KeyStore loaded = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      loaded.load(in, PASSWORD.toCharArray());
    }
    byte[] key = loaded.getKey("server", PASSWORD.toCharArray()).getEncoded();
    Map<String, String> given =
        kind.equals("PEM")
            ? Map.of(
                "http-certificate-file",
                pem("CERTIFICATE", loaded.getCertificate("server").getEncoded()),
                "http-key-file",
                pem("PRIVATE KEY", key))
            : Map.of(
                "http-keystore-file",
                store.toString(),
                "http-keystore-password-file",
                Files.writeString(folder.resolve("password"), PASSWORD).toString());
    HttpOptions options = options(given);
    Javalin server = server(options);
    try {
      String url = ListenAddress.of(resolved()).url(server.port(), options.secure());
      assertThat(url).startsWith("https://127.0.0.1:");
      HttpClient client = HttpClient.newBuilder().sslContext(trusting(loaded)).build();
      assertThat(status(client, url + "/metrics", "GET", null)).isEqualTo(200);
    } finally {
      server.stop();
    }
  }

  private static Settings resolved() {
    return SettingsResolver.resolve(Map.of(), Map.of(), Map.of(), null, Map.of());
  }

  @Test
  void saysUsage_whenTokenOrKeyCannotBeUsed() throws Exception {
    String absent = folder.resolve("absent").toString();
    assertThatThrownBy(() -> options(Map.of("http-token-file", absent)))
        .isInstanceOfSatisfying(
            CommandFailure.class,
            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessageContaining("http-token-file")
        .hasMessageContaining(absent);
    HttpOptions noKey = options(Map.of("http-certificate-file", absent, "http-key-file", absent));
    assertThatThrownBy(() -> server(noKey))
        .isInstanceOfSatisfying(
            CommandFailure.class,
            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessageContaining(absent);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "::1"})
  void warnsOfNothing_whenOnlyThisMachineCanAsk(String host) {
    assertThat(options(Map.of("http-host", host)).warnings()).isEmpty();
  }

  @Test
  void warns_whenOthersCanAskWithoutTokenOrReadAlong() throws Exception {
    String token = Files.writeString(folder.resolve("token"), TOKEN).toString();
    assertThat(options(Map.of("http-host", "0.0.0.0")).warnings())
        .hasSize(2)
        .anyMatch(text -> text.contains("asks for no token") && text.contains("0.0.0.0"))
        .anyMatch(text -> text.contains("plain HTTP") && !text.contains("the token travel"));
    Map<String, String> guarded = Map.of("http-host", "0.0.0.0", "http-token-file", token);
    assertThat(options(guarded).warnings())
        .singleElement()
        .asString()
        .contains("events and the token travel readable")
        .doesNotContain(TOKEN);
    Map<String, String> secured = new HashMap<>(guarded);
    secured.put("http-certificate-file", "c");
    secured.put("http-key-file", "k");
    assertThat(options(secured).warnings()).isEmpty();
  }

  private String pem(String label, byte[] content) throws Exception {
    String text = Base64.getMimeEncoder().encodeToString(content);
    return Files.writeString(
            folder.resolve(label),
            "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n")
        .toString();
  }

  private static SSLContext trusting(KeyStore store) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", store.getCertificate("server"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** The JDK has no public API that signs a certificate; its keytool does. */
  private Path keyStore() throws Exception {
    Path store = folder.resolve("store.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process =
        new ProcessBuilder(
                List.of(
                    keytool,
                    "-genkeypair",
                    "-alias",
                    "server",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    "SAN=dns:localhost,ip:127.0.0.1",
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    store.toString()))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return store;
  }
}
