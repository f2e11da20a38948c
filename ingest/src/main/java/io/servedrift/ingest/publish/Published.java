package io.servedrift.ingest.publish;

/**
 * Where an acknowledged event lies.
 *
 * @param topic topic name
 * @param partition partition number
 * @param offset offset in the partition
 */
public record Published(String topic, int partition, long offset) {}
