package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.Javalin;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpServerFactoryTest {

  private static final String PASSWORD = "correct-horse";

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST.:80",
        "127.0.0.1:8080",
        "[::1]:1",
        "192.0.2.7",
        "drift.example:9"
      })
  void serves_whenHostIsOurs(String host) throws Exception {
    assertThat(raw("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80"})
  void answers421_whenHostIsSomebodyElse(String host) throws Exception {
    assertThat(raw("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 421")
        .contains("{\"error\":\"Host: " + host);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "GET /no-such HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "NONSENSE\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "GET /../x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      })
  void neverNamesItsSoftware_whateverIsAsked(String request) throws Exception {
    assertThat(raw(request))
        .isNotEmpty()
        .doesNotContainIgnoringCase("jetty")
        .doesNotContainIgnoringCase("javalin");
  }

  @Test
  void answers405_whenMethodIsWrong() throws Exception {
    assertThat(raw("DELETE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 405")
        .contains("{\"error\":");
  }

  @Test
  void servesTls_whenGivenPkcs12() throws Exception {
    Path store = keyStore();
    Path password = Files.writeString(dir.resolve("password"), PASSWORD + "\n");

    assertThat(getOverTls(new TlsSettings.Pkcs12(store, password))).isEqualTo("hello");
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC"})
  void servesTls_whenGivenPem(String algorithm) throws Exception {
    KeyStore store = load(keyStore(algorithm));
    Path chain = pem("chain.pem", "CERTIFICATE", store.getCertificate("server").getEncoded());
    Key key = store.getKey("server", PASSWORD.toCharArray());
    Path keyFile = pem("key.pem", "PRIVATE KEY", key.getEncoded());

    assertThat(getOverTls(new TlsSettings.Pem(chain, keyFile))).isEqualTo("hello");
  }

  @Test
  void namesFileButNotContent_whenKeyIsUnusable() throws Exception {
    Path chain =
        pem("chain.pem", "CERTIFICATE", load(keyStore()).getCertificate("server").getEncoded());
    Path encrypted =
        pem("key.pem", "ENCRYPTED PRIVATE KEY", "top-secret".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> server(new TlsSettings.Pem(chain, encrypted)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key.pem")
        .hasMessageContaining("unencrypted PKCS #8")
        .hasMessageNotContaining(
            Base64.getEncoder().encodeToString("top-secret".getBytes(StandardCharsets.UTF_8)));
  }

  private static Javalin server(TlsSettings tls) {
    return HttpServerFactory.create(
        new HttpSettings("127.0.0.1", 0, List.of("Drift.example"), tls),
        config -> config.routes.get("/", ctx -> ctx.result("hello")));
  }

  private static String raw(String request) throws IOException {
    Javalin server = server(null).start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      server.stop();
    }
  }

  private String getOverTls(TlsSettings tls) throws Exception {
    Javalin server = server(tls).start();
    try {
      HttpClient client =
          HttpClient.newBuilder().sslContext(trusting(load(dir.resolve("store.p12")))).build();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/")).build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } finally {
      server.stop();
    }
  }

  private static SSLContext trusting(KeyStore store) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    Certificate certificate = store.getCertificate("server");
    trusted.setCertificateEntry("server", certificate);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private Path keyStore() throws Exception {
    return keyStore("EC");
  }

  /** The JDK has no public API that signs a certificate; its keytool does. */
  private Path keyStore(String algorithm) throws Exception {
    Path store = dir.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    return store;
  }

  private static KeyStore load(Path file) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }

  private Path pem(String name, String label, byte[] content) throws IOException {
    return Files.writeString(
        dir.resolve(name),
        "-----BEGIN "
            + label
            + "-----\n"
            + Base64.getMimeEncoder().encodeToString(content)
            + "\n-----END "
            + label
            + "-----\n");
  }
}
