package io.servedrift.monitors.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.servedrift.monitors.alert.AlertForwarder;
import io.servedrift.monitors.alert.AlertmanagerAccess;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsException;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AlertOptionsTest {
  private static final String PASSWORD = "correct-horse";

  @TempDir private Path folder;

  private static Settings settings(Map<String, String> commandLine) {
    Map<String, String> all = new HashMap<>(commandLine);
    all.putIfAbsent("alertmanager-urls", "http://am-1:9093, https://am-2/prefix");
    return SettingsResolver.resolve(all, Map.of(), Map.of(), null, Map.of());
  }

  private static AlertmanagerAccess access(Map<String, String> commandLine) {
    return AlertOptions.access(settings(commandLine));
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void sendsNothing_whenNoAddressIsGiven() {
    assertThat(
            AlertOptions.given(
                SettingsResolver.resolve(Map.of(), Map.of(), Map.of(), null, Map.of())))
        .isFalse();
    assertThat(AlertOptions.given(settings(Map.of()))).isTrue();
  }

  @Test
  void readsAddressesAndDefaults() {
    AlertmanagerAccess access = access(Map.of());
    assertThat(access.replicas())
        .containsExactly(URI.create("http://am-1:9093"), URI.create("https://am-2/prefix"));
    assertThat(access.headers()).isEmpty();
    assertThat(access.tls()).isNull();
    assertThat(access.timeout()).isEqualTo(Duration.ofSeconds(10));
    AlertForwarder.Options options =
        AlertOptions.of(
            settings(Map.of()),
            access,
            Map.of("bootstrap.servers", "kafka-1:9092, kafka-2:9092"),
            new Topics("servedrift"),
            "http://127.0.0.1:8080",
            Optional::empty,
            Clock.systemUTC());
    assertThat(options.applicationId()).isEqualTo("servedrift-monitor");
    assertThat(options.timings().resend()).isEqualTo(Duration.ofMinutes(1));
    assertThat(options.timings().resolvedFor()).isEqualTo(Duration.ofMinutes(15));
    assertThat(options.links().external()).isEqualTo(URI.create("http://127.0.0.1:8080"));
    assertThat(options.links().topicOptions())
        .isEqualTo("--bootstrap-servers kafka-1:9092,kafka-2:9092 --topic-prefix servedrift");
  }

  @Test
  void readsSecretsFromFiles() throws IOException {
    String password = file("password", PASSWORD + "\n");
    assertThat(
            access(Map.of("alertmanager-username", "drift", "alertmanager-password-file", password))
                .headers())
        .containsExactly(
            Map.entry(
                "Authorization",
                "Basic "
                    + Base64.getEncoder().encodeToString(("drift:" + PASSWORD).getBytes(UTF_8))));
    AlertmanagerAccess both =
        access(
            Map.of(
                "alertmanager-token-file",
                file("token", "abc\n"),
                "alertmanager-headers-file",
                file("headers", "# tenant\nX-Scope-OrgID: team-a\n\n")));
    assertThat(both.headers())
        .containsOnly(
            Map.entry("Authorization", "Bearer abc"), Map.entry("X-Scope-OrgID", "team-a"));
    assertThat(both.toString()).doesNotContain("abc", "team-a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hidden", "Host: hidden", "A B: hidden", "X: hid\u0000den"})
  void namesTheLineOfAHeader_notItsText(String line) throws IOException {
    String headers = file("headers", "X-Good: yes\n" + line + "\n");
    assertThatThrownBy(() -> access(Map.of("alertmanager-headers-file", headers)))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("line 2 must be a header")
        .hasMessageNotContaining("hidden");
  }

  @Test
  void refusesAnEmptySecret() throws IOException {
    String empty = file("token", "\n");
    assertThatThrownBy(() -> access(Map.of("alertmanager-token-file", empty)))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("must hold one line of text");
    assertThatThrownBy(() -> access(Map.of("alertmanager-token-file", folder + "/none")))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("must be a readable text file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ufeffhidden", "hid den", "hid\u0416den"})
  void refusesATokenThatNoHeaderCanHold_andDoesNotShowIt(String token) throws IOException {
    String file = file("token", token + "\n");
    assertThatThrownBy(() -> access(Map.of("alertmanager-token-file", file)))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("must hold ASCII characters only")
        .hasMessageNotContaining("hid");
  }

  @Test
  void refusesWhatDoesNotFitTogether() {
    assertThatThrownBy(
            () ->
                settings(
                    Map.of(
                        "alertmanager-urls",
                        "http://user:hidden@am:9093",
                        "alertmanager-username",
                        "drift",
                        "alertmanager-key-file",
                        "k")))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("without user name, password")
        .hasMessageContaining("alertmanager-username: needs alertmanager-password-file as well")
        .hasMessageContaining("alertmanager-key-file: needs alertmanager-certificate-file as well")
        .hasMessageNotContaining("hidden");
    assertThatThrownBy(
            () ->
                settings(
                    Map.of(
                        "alertmanager-username",
                        "drift",
                        "alertmanager-password-file",
                        "p",
                        "alertmanager-token-file",
                        "t")))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("only one of them may be given");
  }

  @Test
  void trustsAndShowsCertificates() throws Exception {
    KeyStore store = keyStore();
    Path certificate = pem("CERTIFICATE", store.getCertificate("server").getEncoded());
    Path key = pem("PRIVATE KEY", store.getKey("server", PASSWORD.toCharArray()).getEncoded());
    HttpsServer server = server(store);
    try {
      URI address = URI.create("https://127.0.0.1:" + server.getAddress().getPort());
      SSLContext mutual =
          access(
                  Map.of(
                      "alertmanager-ca-file", certificate.toString(),
                      "alertmanager-certificate-file", certificate.toString(),
                      "alertmanager-key-file", key.toString()))
              .tls();
      assertThat(status(mutual, address)).isEqualTo(204);
      SSLContext noCertificate =
          access(Map.of("alertmanager-ca-file", certificate.toString())).tls();
      assertThatThrownBy(() -> status(noCertificate, address)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> status(SSLContext.getDefault(), address))
          .isInstanceOf(SSLException.class);
    } finally {
      server.stop(0);
    }
    assertThatThrownBy(() -> access(Map.of("alertmanager-ca-file", key.toString())))
        .isInstanceOf(CommandFailure.class);
    assertThatThrownBy(
            () ->
                access(
                    Map.of(
                        "alertmanager-certificate-file", certificate.toString(),
                        "alertmanager-key-file", certificate.toString())))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("must hold an unencrypted PKCS #8 private key");
  }

  private static int status(SSLContext tls, URI address) throws Exception {
    return HttpClient.newBuilder()
        .sslContext(tls)
        .build()
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  /** Asks for a client certificate and accepts its own only. */
  private static HttpsServer server(KeyStore store) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", store.getCertificate("server"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters wanted = context.getDefaultSSLParameters();
            wanted.setNeedClientAuth(true);
            parameters.setSSLParameters(wanted);
          }
        });
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private Path pem(String what, byte[] content) throws IOException {
    return Files.writeString(
        folder.resolve(what.replace(' ', '-')),
        "-----BEGIN "
            + what
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
            + "\n-----END "
            + what
            + "-----\n");
  }

  /** The JDK has no public API that signs a certificate; its keytool does. */
  private KeyStore keyStore() throws Exception {
    Path file = folder.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "server",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    "san=ip:127.0.0.1",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    file.toString(),
                    "-storepass",
                    PASSWORD))
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }
}
