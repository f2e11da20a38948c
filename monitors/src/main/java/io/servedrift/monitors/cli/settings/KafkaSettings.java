package io.servedrift.monitors.cli.settings;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The settings that pass through to Kafka clients, by the cluster they are for. */
enum KafkaSettings {
  /** Of the cluster with our topics. */
  OWN(
      "kafka",
      Map.of("bootstrap.servers", "bootstrap-servers", "application.id", "application-id")),
  /** Of the cluster with a topic that is imported. */
  SOURCE(
      "source-kafka",
      Map.of("bootstrap.servers", "source-bootstrap-servers", "group.id", "source-group"));

  private static final Pattern SECRET =
      Pattern.compile(
          "password|passphrase|secret|jaas|keystore\\.key|token|credential|user\\.info");

  /** Only a secret has a {@code _FILE} variant: Kafka has settings of its own that end in file. */
  private static final List<String> SECRET_ENDINGS =
      List.of("password", "passphrase", "jaas.config", "client.secret", "keystore.key");

  private final String key;
  private final String environmentPrefix;
  private final Map<String, String> named;

  KafkaSettings(String key, Map<String, String> named) {
    this.key = key;
    this.environmentPrefix =
        Setting.ENVIRONMENT_PREFIX + key.toUpperCase(Locale.ROOT).replace('-', '_') + "_";
    this.named = named;
  }

  /** The YAML key whose map passes through, and the option without its dashes. */
  String key() {
    return key;
  }

  /** Properties that have a setting of their own, with its key. */
  Map<String, String> named() {
    return named;
  }

  /** Whether a variable of the environment passes through. */
  boolean isOne(String environmentName) {
    return environmentName.startsWith(environmentPrefix);
  }

  /** {@code SERVEDRIFT_KAFKA_MAX_BLOCK_MS} to {@code max.block.ms}. */
  String propertyOf(String environmentName) {
    return environmentName
        .substring(environmentPrefix.length())
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
