package io.servedrift.monitors.archive;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a folder with an archive holds. Immutable.
 *
 * @param range what was asked for; who asks again continues it
 * @param codec of the blocks
 * @param partitions in the order of roles and numbers
 * @param files finished files, those of a partition in the order of offsets
 */
public record Manifest(
    Range range, ArchiveCodec codec, List<ArchivedPartition> partitions, List<ArchivedFile> files) {

  /**
   * Which records an archive keeps.
   *
   * @param clusterId of the Kafka cluster they came from
   * @param topicPrefix of its topics
   * @param from start of what can be replayed; null for the first record there was
   * @param to end of what can be replayed; null for what there was
   * @param readFrom record time at which the files begin: earlier than {@code from}, as a replay
   *     needs what was remembered then
   * @param readUntil clock of a partition at which its files end
   */
  public record Range(
      String clusterId,
      String topicPrefix,
      @Nullable Instant from,
      @Nullable Instant to,
      @Nullable Instant readFrom,
      @Nullable Instant readUntil) {

    /** Whether the same was asked for, however much before it is read. */
    boolean sameRequest(Range other) {
      return clusterId.equals(other.clusterId)
          && topicPrefix.equals(other.topicPrefix)
          && Objects.equals(from, other.from)
          && Objects.equals(to, other.to);
    }
  }

  /** Copies the lists. */
  public Manifest {
    partitions = List.copyOf(partitions);
    files = List.copyOf(files);
  }

  /** Whether every partition is kept to its end. */
  public boolean complete() {
    return partitions.stream().allMatch(ArchivedPartition::complete);
  }

  /** How many partitions a topic has. */
  public int count(ArchiveRole role) {
    return (int) partitions.stream().filter(one -> one.role() == role).count();
  }

  /**
   * What is kept of a partition.
   *
   * @throws IllegalArgumentException when nothing is
   */
  public ArchivedPartition partition(ArchiveRole role, int partition) {
    return partitions.stream()
        .filter(one -> one.is(role, partition))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(role.word() + "-" + partition + ": is not archived"));
  }

  /** The files of a partition in the order of offsets. */
  public List<ArchivedFile> files(ArchiveRole role, int partition) {
    return files.stream()
        .filter(file -> file.role() == role && file.partition() == partition)
        .toList();
  }

  /** Records in all files. */
  public long records() {
    return files.stream().mapToLong(ArchivedFile::records).sum();
  }

  /** Requests and scores, other than ticks, whose time lies in the range. */
  public long eventsInRange() {
    return files.stream()
        .filter(file -> file.role() == ArchiveRole.REQUESTS || file.role() == ArchiveRole.SCORES)
        .mapToLong(ArchivedFile::eventsInRange)
        .sum();
  }

  /** Bytes of all files. */
  public long bytes() {
    return files.stream().mapToLong(ArchivedFile::bytes).sum();
  }

  Manifest with(ArchivedFile file) {
    List<ArchivedFile> more = new ArrayList<>(files);
    more.add(file);
    return new Manifest(range, codec, partitions, more);
  }

  Manifest withFiles(List<ArchivedFile> others) {
    return new Manifest(range, codec, partitions, others);
  }

  Manifest with(ArchivedPartition changed) {
    List<ArchivedPartition> others = new ArrayList<>(partitions);
    others.replaceAll(one -> one.is(changed.role(), changed.partition()) ? changed : one);
    return new Manifest(range, codec, others, files);
  }
}
