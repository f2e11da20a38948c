package io.servedrift.monitors.archive;

/**
 * What an archive keeps of a topic partition. Immutable.
 *
 * @param role which topic
 * @param partition of the topic
 * @param startOffset first offset
 * @param endOffset end, not included; until it is complete, the end of the partition when the
 *     archive was begun
 * @param complete whether everything up to the end is in files
 */
public record ArchivedPartition(
    ArchiveRole role, int partition, long startOffset, long endOffset, boolean complete) {

  ArchivedPartition completedAt(long end) {
    return new ArchivedPartition(role, partition, startOffset, end, true);
  }

  ArchivedPartition incomplete() {
    return new ArchivedPartition(role, partition, startOffset, endOffset, false);
  }

  boolean is(ArchiveRole otherRole, int otherPartition) {
    return role == otherRole && partition == otherPartition;
  }
}
