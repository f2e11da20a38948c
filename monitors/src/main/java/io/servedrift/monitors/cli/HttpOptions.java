package io.servedrift.monitors.cli;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.servedrift.ingest.http.BearerToken;
import io.servedrift.ingest.http.HttpServerFactory;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.ingest.http.TlsSettings;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who may use the HTTP server and how: host names, token, TLS.
 *
 * @param settings where it listens
 * @param token what {@code POST /v1/*} and {@code /api/v1/*} demand, null for nothing
 */
record HttpOptions(HttpSettings settings, @Nullable BearerToken token) {

  /** Everything that reads or writes data of the monitor; metrics and health are for machines. */
  private static final List<String> GUARDED =
      List.of("/v1/events", "/v1/traces", "/v1/logs", "/v1/cloudevents", "/api/v1/*");

  /**
   * As the settings say.
   *
   * @throws CommandFailure when the token file cannot be used
   */
  static HttpOptions of(Settings settings, ListenAddress listen) {
    Path tokenFile = settings.find(SettingsCatalogue.HTTP_TOKEN_FILE).orElse(null);
    try {
      return new HttpOptions(
          new HttpSettings(
              listen.host(),
              listen.port(),
              settings.find(SettingsCatalogue.ALLOWED_HOSTS).orElse(List.of()),
              tls(settings)),
          tokenFile == null ? null : BearerToken.fromFile(tokenFile));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, "http-token-file: " + e.getMessage(), e);
    }
  }

  private static @Nullable TlsSettings tls(Settings settings) {
    Path store = settings.find(SettingsCatalogue.HTTP_KEYSTORE_FILE).orElse(null);
    Path password = settings.find(SettingsCatalogue.HTTP_KEYSTORE_PASSWORD_FILE).orElse(null);
    if (store != null && password != null) {
      return new TlsSettings.Pkcs12(store, password);
    }
    Path certificate = settings.find(SettingsCatalogue.HTTP_CERTIFICATE_FILE).orElse(null);
    Path key = settings.find(SettingsCatalogue.HTTP_KEY_FILE).orElse(null);
    return certificate != null && key != null ? new TlsSettings.Pem(certificate, key) : null;
  }

  /**
   * Makes the server, guarded; the caller starts and stops it.
   *
   * @param routes adds the routes
   * @throws CommandFailure when certificate or key cannot be loaded
   */
  Javalin server(Consumer<JavalinConfig> routes) {
    try {
      return HttpServerFactory.create(
          settings,
          config -> {
            if (token != null) {
              GUARDED.forEach(path -> config.routes.before(path, token));
            }
            routes.accept(config);
          });
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  /** Whether a token is demanded. */
  boolean guarded() {
    return token != null;
  }

  /** Whether it speaks HTTPS. */
  boolean secure() {
    return settings.tls() != null;
  }

  /** What an operator may not have meant, one sentence each. */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (isLoopback(settings.host())) {
      return warnings;
    }
    String reachable = "http-host=" + settings.host() + " can be reached from other machines ";
    if (!guarded()) {
      warnings.add(
          reachable
              + "and asks for no token: whoever reaches it reads everything and may send events;"
              + " set http-token-file");
    }
    if (!secure()) {
      warnings.add(
          reachable
              + "and speaks plain HTTP: events"
              + (guarded() ? " and the token" : "")
              + " travel readable; set http-certificate-file and http-key-file, or put a TLS proxy"
              + " before it");
    }
    return warnings;
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
