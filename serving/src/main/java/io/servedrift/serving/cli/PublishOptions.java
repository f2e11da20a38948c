package io.servedrift.serving.cli;

import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.schemas.Topics;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;

/**
 * How events are published.
 *
 * @param publisher the publisher's settings
 * @param topicPrefix first part of every topic name
 */
record PublishOptions(PublisherSettings publisher, String topicPrefix) {

  private static final Pattern PREFIX = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

  /** As the settings say, to this cluster. */
  static PublishOptions of(SettingReader read, String servers) {
    Map<String, String> kafka = new HashMap<>(read.kafka());
    kafka.put("bootstrap.servers", servers);
    return new PublishOptions(
        PublisherSettings.defaults(servers)
            .withBufferBytes(read.size(ServeSettings.EVENT_BUFFER, "1MiB", "4GiB"))
            .withKafka(kafka),
        read.matching(ServeSettings.TOPIC_PREFIX, PREFIX, "1 to 40 of a-z, 0-9 and inner -"));
  }

  /**
   * Opens the publisher; the broker need not be up.
   *
   * @throws StartException when the Kafka settings are wrong
   */
  EventPublisher open() {
    try {
      return new EventPublisher(publisher, new Topics(topicPrefix));
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new StartException("Kafka client: " + cause.getMessage(), e);
    }
  }
}
