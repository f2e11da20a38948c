package io.servedrift.ingest.consume;

import org.apache.kafka.common.TopicPartition;

/**
 * A record that the client cannot read, such as one of a damaged batch.
 *
 * @param why without anything of its content
 */
record UnreadRecord(TopicPartition partition, long offset, String why) {}
