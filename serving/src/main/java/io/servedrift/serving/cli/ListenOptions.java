package io.servedrift.serving.cli;

import io.javalin.util.JavalinException;
import io.servedrift.ingest.http.BearerToken;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.ingest.http.TlsSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a server listens, and to whom.
 *
 * @param http where it listens
 * @param token what callers must show; {@code null} for nothing
 */
record ListenOptions(HttpSettings http, @Nullable BearerToken token) {

  /** As the settings say. */
  static ListenOptions of(SettingReader read, Setting port) {
    return new ListenOptions(
        new HttpSettings(
            read.text(ServeSettings.HOST).orElse("127.0.0.1"),
            read.integer(port, 0, 65_535),
            read.list(ServeSettings.ALLOWED_HOSTS),
            tls(read)),
        read.path(ServeSettings.TOKEN_FILE)
            .flatMap(
                file -> read.attempt(ServeSettings.TOKEN_FILE, () -> BearerToken.fromFile(file)))
            .orElse(null));
  }

  private static @Nullable TlsSettings tls(SettingReader read) {
    Path certificate = read.path(ServeSettings.CERTIFICATE_FILE).orElse(null);
    Path key = read.path(ServeSettings.KEY_FILE).orElse(null);
    if ((certificate == null) != (key == null)) {
      read.problem("certificate-file and key-file: one needs the other");
    }
    return certificate == null || key == null ? null : new TlsSettings.Pem(certificate, key);
  }

  /**
   * Starts a server there.
   *
   * @throws StartException when it cannot be started there
   */
  <T> T start(Supplier<T> server) {
    try {
      return server.get();
    } catch (JavalinException e) {
      throw new StartException(
          "host="
              + http.host()
              + ", port="
              + http.port()
              + ": cannot listen there, the port is in use or the address is not of this machine;"
              + " --port 0 takes a free port",
          e);
    } catch (IllegalArgumentException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The address as a URL, with the port that was taken. */
  String url(int port) {
    String host = http.host();
    return (http.tls() == null ? "http://" : "https://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port;
  }

  /** What an operator may not have meant, one sentence each. */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    String host = http.host();
    if (host.equals("localhost") || host.equals("::1") || host.startsWith("127.")) {
      return warnings;
    }
    String reachable = "host=" + host + " can be reached from other machines ";
    if (token == null) {
      warnings.add(reachable + "and asks for no token: set token-file");
    }
    if (http.tls() == null) {
      warnings.add(
          reachable
              + "and speaks plain HTTP: prompts travel readable; set certificate-file and key-file,"
              + " or put a TLS proxy before it");
    }
    return warnings;
  }
}
