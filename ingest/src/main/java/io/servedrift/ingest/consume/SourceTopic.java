package io.servedrift.ingest.consume;

import java.util.Map;

/**
 * The topic that is read, and how.
 *
 * @param topic its name
 * @param group consumer group under which the places are kept
 * @param fromEnd pass over what a partition without a place holds at the start
 * @param cloudEvents whether records are CloudEvents, whose attributes may stand in headers
 * @param maxRecordBytes a larger record, headers included, is rejected
 * @param kafka settings for the Kafka consumer, {@code bootstrap.servers} among them; they win over
 *     the follower's own
 */
public record SourceTopic(
    String topic,
    String group,
    boolean fromEnd,
    boolean cloudEvents,
    int maxRecordBytes,
    Map<String, String> kafka) {

  public SourceTopic {
    kafka = Map.copyOf(kafka);
    if (topic.isEmpty() || group.isEmpty()) {
      throw new IllegalArgumentException("topic and group: must be given");
    }
    if (maxRecordBytes < 1) {
      throw new IllegalArgumentException(
          "maxRecordBytes=" + maxRecordBytes + ": must be at least 1");
    }
  }
}
