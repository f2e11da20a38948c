package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.text.NearestKey;
import io.servedrift.monitors.topology.StreamsSettings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The properties that Kafka's clients know. Others are let through, as a plug-in (an interceptor, a
 * login) may read them, but not in silence: a mistyped name has no effect, and no client says so.
 */
final class KafkaNames {
  /** Kafka Streams gives these to one of its clients. */
  private static final Pattern CLIENT =
      Pattern.compile("((main\\.|restore\\.|global\\.)?consumer|producer|admin)\\.");

  /** And these to the topics that it makes. */
  private static final String OF_TOPICS = "topic.";

  /** Settings of what {@code config.providers} names; every client reads them. */
  private static final String OF_PROVIDERS = "config.providers.";

  private KafkaNames() {}

  /** What to say of names that no client knows. Values are not told. */
  static List<String> remarks(Settings settings) {
    Set<String> consumer = new HashSet<>(ConsumerConfig.configNames());
    consumer.addAll(AdminClientConfig.configNames());
    Set<String> all = new HashSet<>(consumer);
    all.addAll(ProducerConfig.configNames());
    all.addAll(StreamsSettings.names());
    List<String> remarks = new ArrayList<>();
    for (String property : settings.kafka().keySet()) {
      String name = CLIENT.matcher(property).lookingAt() ? withoutClient(property) : property;
      if (!property.startsWith(OF_TOPICS) && !isKnown(name, all)) {
        remarks.add(remark("kafka", property, name, all));
      }
    }
    for (String property : settings.sourceKafka().keySet()) {
      if (!isKnown(property, consumer)) {
        remarks.add(remark("source-kafka", property, property, consumer));
      }
    }
    return remarks;
  }

  private static boolean isKnown(String name, Set<String> known) {
    return known.contains(name) || name.startsWith(OF_PROVIDERS);
  }

  private static String withoutClient(String property) {
    return CLIENT.matcher(property).replaceFirst("");
  }

  private static String remark(String key, String property, String name, Set<String> known) {
    return key
        + " "
        + property
        + ": no Kafka client has such a property, so it has no effect unless a plug-in reads it"
        + NearestKey.of(name, known).map(best -> "; did you mean " + best + "?").orElse("");
  }
}
