package io.servedrift.monitors.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** What the builds wrote into the jars. */
final class BuildInfo {

  private static final String KAFKA_PROPERTIES = "/kafka/kafka-version.properties";

  private BuildInfo() {}

  /** The version of the product, or {@code development} when it does not run from its jar. */
  static String version() {
    String version = Main.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** The version of the Kafka client library. */
  static String kafkaVersion() {
    try (InputStream stream = BuildInfo.class.getResourceAsStream(KAFKA_PROPERTIES)) {
      Properties properties = new Properties();
      if (stream != null) {
        properties.load(stream);
      }
      return properties.getProperty("version", "unknown");
    } catch (IOException e) {
      throw new UncheckedIOException(KAFKA_PROPERTIES + ": cannot be read", e);
    }
  }
}
