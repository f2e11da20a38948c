package io.servedrift.monitors.cli;

import io.servedrift.monitors.alert.AlertForwarder;
import io.servedrift.monitors.alert.AlertLinks;
import io.servedrift.monitors.alert.AlertTimings;
import io.servedrift.monitors.alert.AlertmanagerAccess;
import io.servedrift.monitors.alert.Condition;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.apache.kafka.clients.CommonClientConfigs;

/** What the alert forwarder needs, as the settings say. */
final class AlertOptions {
  private static final Pattern HEADER =
      Pattern.compile("([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \\t]*([\\x21-\\x7e][\\x20-\\x7e\\t]*)");

  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

  /** Belong to the connection or to what is sent. */
  private static final Set<String> FIXED =
      Set.of(
          "connection",
          "content-length",
          "content-type",
          "expect",
          "host",
          "transfer-encoding",
          "upgrade");

  private AlertOptions() {}

  /** Whether alerts are to be sent at all. */
  static boolean given(Settings settings) {
    return settings.find(SettingsCatalogue.ALERTMANAGER_URLS).isPresent();
  }

  /**
   * Replicas and how to speak to them.
   *
   * @throws CommandFailure when a file with a secret, a header or a certificate cannot be used
   */
  static AlertmanagerAccess access(Settings settings) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    settings
        .find(SettingsCatalogue.ALERTMANAGER_HEADERS_FILE)
        .ifPresent(file -> headers.putAll(headers(file)));
    settings
        .find(SettingsCatalogue.ALERTMANAGER_TOKEN_FILE)
        .ifPresent(file -> headers.put("Authorization", "Bearer " + token(file)));
    settings
        .find(SettingsCatalogue.ALERTMANAGER_PASSWORD_FILE)
        .ifPresent(
            file ->
                headers.put(
                    "Authorization",
                    basic(
                        settings.get(SettingsCatalogue.ALERTMANAGER_USERNAME),
                        secret(SettingsCatalogue.ALERTMANAGER_PASSWORD_FILE, file))));
    return new AlertmanagerAccess(
        settings.get(SettingsCatalogue.ALERTMANAGER_URLS),
        headers,
        tls(settings).orElse(null),
        settings.get(SettingsCatalogue.ALERTMANAGER_TIMEOUT));
  }

  /**
   * Everything the forwarder needs.
   *
   * @param address where the HTTP server of this process listens
   */
  static AlertForwarder.Options of(
      Settings settings,
      AlertmanagerAccess access,
      Map<String, Object> kafka,
      Topics topics,
      String address,
      Supplier<Optional<List<Condition>>> conditions,
      Clock clock) {
    return new AlertForwarder.Options(
        kafka,
        settings.applicationId(),
        topics,
        access,
        new AlertTimings(
            settings.get(SettingsCatalogue.ALERT_RESEND),
            settings.get(SettingsCatalogue.ALERT_RESOLVED_FOR)),
        new AlertLinks(
            settings.find(SettingsCatalogue.EXTERNAL_URL).orElseGet(() -> URI.create(address)),
            settings.find(SettingsCatalogue.DASHBOARD_URL).orElse(null),
            settings.find(SettingsCatalogue.RUNBOOK_URL).orElse(null),
            topicOptions(settings, kafka)),
        conditions,
        clock);
  }

  /** The address is that of the broker that is used, also when it is an embedded one. */
  private static String topicOptions(Settings settings, Map<String, Object> kafka) {
    String servers = String.valueOf(kafka.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
    return "--bootstrap-servers "
        + servers.replaceAll("\\s", "")
        + " --topic-prefix "
        + settings.get(SettingsCatalogue.TOPIC_PREFIX);
  }

  private static String basic(String user, String password) {
    byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both);
  }

  private static Optional<SSLContext> tls(Settings settings) {
    Path authorities = settings.find(SettingsCatalogue.ALERTMANAGER_CA_FILE).orElse(null);
    Path certificate = settings.find(SettingsCatalogue.ALERTMANAGER_CERTIFICATE_FILE).orElse(null);
    Path key = settings.find(SettingsCatalogue.ALERTMANAGER_KEY_FILE).orElse(null);
    if (authorities == null && certificate == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(ClientTls.of(authorities, certificate, key));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private static String token(Path file) {
    String token = secret(SettingsCatalogue.ALERTMANAGER_TOKEN_FILE, file);
    if (!TOKEN.matcher(token).matches()) {
      throw CommandFailure.usage(
          SettingsCatalogue.ALERTMANAGER_TOKEN_FILE.key()
              + "="
              + file
              + ": must hold ASCII characters only, without blanks and without a byte order mark");
    }
    return token;
  }

  private static String secret(Setting<Path> setting, Path file) {
    String text = read(setting, file).strip();
    if (text.isEmpty() || text.chars().anyMatch(Character::isISOControl)) {
      throw CommandFailure.usage(setting.key() + "=" + file + ": must hold one line of text");
    }
    return text;
  }

  private static Map<String, String> headers(Path file) {
    Map<String, String> headers = new TreeMap<>();
    int number = 0;
    for (String line : read(SettingsCatalogue.ALERTMANAGER_HEADERS_FILE, file).lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      Matcher header = HEADER.matcher(line.strip());
      if (!header.matches() || FIXED.contains(header.group(1).toLowerCase(Locale.ROOT))) {
        // The line may hold a secret: only its number is named.
        throw CommandFailure.usage(
            "alertmanager-headers-file="
                + file
                + ": line "
                + number
                + " must be a header (Name: value), none of "
                + String.join(", ", FIXED.stream().sorted().toList()));
      }
      headers.put(header.group(1), header.group(2));
    }
    return headers;
  }

  private static String read(Setting<Path> setting, Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.USAGE, setting.key() + "=" + file + ": must be a readable text file", e);
    }
  }
}
