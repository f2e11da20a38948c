package io.servedrift.monitors.archive;

import io.servedrift.schemas.Topics;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One archive, or several of neighbouring ranges that together are one: the same cluster, the same
 * topics, no offset missing in between. Immutable.
 */
public final class ArchivedTraffic {
  private static final Comparator<ArchiveFolder> BY_START =
      Comparator.comparing(
          folder -> folder.manifest().range().from(),
          Comparator.nullsFirst(Comparator.<Instant>naturalOrder()));

  private final List<ArchiveFolder> folders;
  private final Topics topics;

  private ArchivedTraffic(List<ArchiveFolder> folders) {
    this.folders = folders;
    this.topics = new Topics(folders.get(0).manifest().range().topicPrefix());
  }

  /**
   * Puts archives together and checks every file of them.
   *
   * @param progress called with the number of bytes checked so far
   * @throws ArchiveException when they do not fit, are not complete, or a file is damaged
   */
  public static ArchivedTraffic of(List<ArchiveFolder> folders, LongConsumer progress) {
    List<ArchiveFolder> sorted = new ArrayList<>(folders);
    sorted.sort(BY_START);
    long checked = 0;
    for (ArchiveFolder folder : sorted) {
      long before = checked;
      List<String> problems = folder.problems(bytes -> progress.accept(before + bytes));
      if (!problems.isEmpty()) {
        throw new ArchiveException(
            ArchiveException.Kind.DAMAGED,
            folder.path() + ": damaged or not complete:\n" + String.join("\n", problems));
      }
      checked += folder.manifest().bytes();
    }
    for (int i = 1; i < sorted.size(); i++) {
      requireNeighbours(sorted.get(i - 1), sorted.get(i));
    }
    return new ArchivedTraffic(sorted);
  }

  private static void requireNeighbours(ArchiveFolder one, ArchiveFolder next) {
    Manifest left = one.manifest();
    Manifest right = next.manifest();
    if (!left.range().clusterId().equals(right.range().clusterId())
        || !left.range().topicPrefix().equals(right.range().topicPrefix())) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE,
          one.path() + " and " + next.path() + ": are of different clusters or topic prefixes");
    }
    for (ArchiveRole role :
        List.of(ArchiveRole.REQUESTS, ArchiveRole.SCORES, ArchiveRole.SERVING_EVENTS)) {
      if (left.count(role) != right.count(role)) {
        throw new ArchiveException(
            ArchiveException.Kind.USAGE,
            one.path() + " and " + next.path() + ": have different partitions of " + role.word());
      }
      for (int i = 0; i < left.count(role); i++) {
        if (right.partition(role, i).startOffset() > left.partition(role, i).endOffset()) {
          throw new ArchiveException(
              ArchiveException.Kind.USAGE,
              one.path()
                  + " and "
                  + next.path()
                  + ": "
                  + role.word()
                  + "-"
                  + i
                  + " has records in between that are in neither");
        }
      }
    }
  }

  /** The topics the records came from. */
  public Topics topics() {
    return topics;
  }

  /** Start of what can be replayed; null for the first record there was. */
  public @Nullable Instant from() {
    return folders.get(0).manifest().range().from();
  }

  /** Record time from which records are kept; null for the first record there was. */
  public @Nullable Instant readFrom() {
    return folders.get(0).manifest().range().readFrom();
  }

  /** End of what can be replayed; null for what there was. */
  public @Nullable Instant to() {
    return latest(Manifest.Range::to);
  }

  private @Nullable Instant latest(Function<Manifest.Range, @Nullable Instant> of) {
    List<Instant> ends = new ArrayList<>();
    for (ArchiveFolder folder : folders) {
      Instant end = of.apply(folder.manifest().range());
      if (end == null) {
        return null;
      }
      ends.add(end);
    }
    return Collections.max(ends);
  }

  /** Clock of a partition up to which records are kept; null for what there was. */
  public @Nullable Instant readUntil() {
    return latest(Manifest.Range::readUntil);
  }

  /** How many partitions a topic has. */
  public int count(ArchiveRole role) {
    return used(role).get(0).manifest().count(role);
  }

  /** Records of all files of these topics, those in several archives each time. */
  public long records(List<ArchiveRole> roles) {
    return folders.stream()
        .flatMap(folder -> folder.manifest().files().stream())
        .filter(file -> roles.contains(file.role()))
        .mapToLong(ArchivedFile::records)
        .sum();
  }

  /** The records of a partition, for the caller to close. */
  public PartitionRecords read(ArchiveRole role, int partition) {
    List<PartitionRecords.Source> sources = new ArrayList<>();
    for (ArchiveFolder folder : used(role)) {
      for (ArchivedFile file : folder.manifest().files(role, partition)) {
        sources.add(new PartitionRecords.Source(folder.path(), file));
      }
    }
    return new PartitionRecords(role.topic(topics), partition, sources);
  }

  /** Checkpoints are those before the first range; the dictionary is whole in every archive. */
  private List<ArchiveFolder> used(ArchiveRole role) {
    return switch (role) {
      case JUDGE_STATE -> folders.subList(0, 1);
      case CONFIGS -> folders.subList(folders.size() - 1, folders.size());
      default -> folders;
    };
  }
}
