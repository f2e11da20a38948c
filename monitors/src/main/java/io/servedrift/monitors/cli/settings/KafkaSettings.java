package io.servedrift.monitors.cli.settings;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The settings that pass through to Kafka clients, by the cluster they are for. */
enum KafkaSettings {
  /** Of the cluster with our topics. */
  OWN("kafka"),
  /** Of the cluster with a topic that is imported. */
  SOURCE("source-kafka");

  private static final Pattern SECRET =
      Pattern.compile(
          "password|passphrase|secret|jaas|keystore\\.key|token|credential|user\\.info");

  /** Only a secret has a {@code _FILE} variant: Kafka has settings of its own that end in file. */
  private static final List<String> SECRET_ENDINGS =
      List.of("password", "passphrase", "jaas.config", "client.secret", "keystore.key");

  private final String key;
  private final String environmentPrefix;

  KafkaSettings(String key) {
    this.key = key;
    this.environmentPrefix =
        Setting.ENVIRONMENT_PREFIX + key.toUpperCase(Locale.ROOT).replace('-', '_') + "_";
  }

  /** The YAML key whose map passes through, and the option without its dashes. */
  String key() {
    return key;
  }

  /** The key of the setting that stands for a property; null when it passes through. */
  @Nullable String settingFor(String property) {
    return switch (property) {
      case "bootstrap.servers" -> this == OWN ? "bootstrap-servers" : "source-bootstrap-servers";
      case "application.id" -> this == OWN ? "application-id" : null;
      case "group.id" -> this == SOURCE ? "source-group" : null;
      default -> null;
    };
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
