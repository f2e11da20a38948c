package io.servedrift.monitors.topology;

import java.util.Set;
import org.apache.kafka.streams.StreamsConfig;

/** The names of the settings that Kafka Streams has beside those of its clients. */
public final class StreamsSettings {
  private StreamsSettings() {}

  /** All names, without those that begin with a client's prefix. */
  public static Set<String> names() {
    return StreamsConfig.configDef().names();
  }
}
