package io.servedrift.monitors.cli.settings;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Names of the settings that pass through to the Kafka clients. */
final class KafkaSettings {

  static final String ENVIRONMENT_PREFIX = Setting.ENVIRONMENT_PREFIX + "KAFKA_";

  /** The YAML key whose map passes to the Kafka clients. */
  static final String FILE_KEY = "kafka";

  private static final Pattern SECRET =
      Pattern.compile(
          "password|passphrase|secret|jaas|keystore\\.key|token|credential|user\\.info");

  /** Only a secret has a {@code _FILE} variant: Kafka has settings of its own that end in file. */
  private static final List<String> SECRET_ENDINGS =
      List.of("password", "passphrase", "jaas.config", "client.secret", "keystore.key");

  private KafkaSettings() {}

  /** {@code SERVEDRIFT_KAFKA_MAX_BLOCK_MS} to {@code max.block.ms}. */
  static String propertyOf(String environmentName) {
    return environmentName
        .substring(ENVIRONMENT_PREFIX.length())
        .toLowerCase(Locale.ROOT)
        .replace('_', '.');
  }

  static boolean isSecret(String property) {
    return SECRET.matcher(property.toLowerCase(Locale.ROOT)).find();
  }

  static boolean isSecretFile(String property) {
    return property.endsWith(".file")
        && SECRET_ENDINGS.stream().anyMatch(end -> property.endsWith(end + ".file"));
  }
}
