package io.servedrift.schemas;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A topic as it should be.
 *
 * @param name matches {@code [a-z0-9-]{1,63}}
 * @param partitions at least 1
 * @param config topic settings by Kafka's names, in a fixed order
 */
public record TopicSpec(String name, int partitions, Map<String, String> config) {
  public TopicSpec {
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "partitions of " + name + "=" + partitions + ": must be at least 1");
    }
    config = Collections.unmodifiableMap(new LinkedHashMap<>(config));
  }
}
