package io.servedrift.monitors.cli;

import io.servedrift.monitors.archive.ArchiveFolder;
import io.servedrift.monitors.archive.ArchiveRole;
import io.servedrift.monitors.archive.ArchivedTraffic;
import io.servedrift.monitors.archive.PartitionRecords;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.replay.ArchiveSource;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.RangeReplay;
import io.servedrift.schemas.EventReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Replays what {@code archive} wrote. */
final class ArchiveTraffic {
  private static final String SUFFIX = ".avro";

  private final ReplayInput replay;

  ArchiveTraffic(ReplayInput replay) {
    this.replay = replay;
  }

  /** Whether these name archives or files of them. */
  static boolean isMeant(List<Path> paths) {
    return paths.stream()
        .anyMatch(path -> ArchiveFolder.isArchive(path) || path.toString().endsWith(SUFFIX));
  }

  ReplayedTraffic run(List<Path> paths) throws IOException {
    Tally tally = new Tally();
    ArchivedTraffic archive = checked(folders(paths));
    EventReader reader = PaneOptions.reader(replay.settings(), replay.context().clock());
    ConfigNames names = ConfigNames.of(archive, reader);
    Instant from = replay.options().from() == null ? archive.from() : replay.options().from();
    Instant to = replay.options().to() == null ? archive.to() : replay.options().to();
    try (ArchiveSource source = new ArchiveSource(archive, PaneOptions.of(replay.settings()))) {
      RangeReplay.Result result =
          replay.run(
              replay.of(source, archive.topics(), names, reader, tally),
              from,
              to,
              state(archive, from));
      return new ReplayedTraffic(
          paths.stream().map(Path::toString).collect(Collectors.joining(", ")),
          result.records(),
          result.inRange(),
          null,
          tally,
          names,
          result.partial());
    }
  }

  private ArchivedTraffic checked(List<ArchiveFolder> folders) {
    long bytes = folders.stream().mapToLong(folder -> folder.manifest().bytes()).sum();
    try (Progress progress = replay.context().progress("checking")) {
      return ArchivedTraffic.of(folders, done -> progress.update(done, bytes));
    }
  }

  private Checkpoints state(ArchivedTraffic archive, @Nullable Instant from) throws IOException {
    replay.options().requireStart(from);
    if (from == null || replay.options().cold()) {
      return Checkpoints.NONE;
    }
    return replay.options().state(from, before -> checkpoints(archive, before));
  }

  /** The checkpoints that an archive keeps, the newest before a time. */
  static Checkpoints checkpoints(ArchivedTraffic archive, Instant before) throws IOException {
    List<byte[]> pieces = new ArrayList<>();
    for (int i = 0; i < archive.count(ArchiveRole.JUDGE_STATE); i++) {
      try (PartitionRecords records = archive.read(ArchiveRole.JUDGE_STATE, i)) {
        for (var record = records.take(); record != null; record = records.take()) {
          if (record.value() != null) {
            pieces.add(record.value());
          }
        }
      }
    }
    return Checkpoints.of(pieces, before);
  }

  /** The archives that are meant; a part of one would look like the whole. */
  private static List<ArchiveFolder> folders(List<Path> paths) {
    Set<Path> roots = new LinkedHashSet<>();
    Set<Path> named = new TreeSet<>();
    for (Path path : paths) {
      if (ArchiveFolder.isArchive(path)) {
        roots.add(path);
      } else if (path.toString().endsWith(SUFFIX)) {
        Path parent = path.toAbsolutePath().getParent();
        named.add(path.toAbsolutePath());
        if (parent != null) {
          roots.add(parent);
        }
      } else {
        throw CommandFailure.usage(path + ": is no archive; archives and other files do not mix");
      }
    }
    List<ArchiveFolder> folders = new ArrayList<>();
    for (Path root : roots) {
      ArchiveFolder folder = ArchiveFolder.open(root);
      folders.add(folder);
      if (!paths.contains(root)) {
        requireAll(folder, named);
      }
    }
    return folders;
  }

  private static void requireAll(ArchiveFolder folder, Set<Path> named) {
    folder.manifest().files().stream()
        .map(file -> folder.path().resolve(file.name()))
        .filter(path -> !named.contains(path))
        .findFirst()
        .ifPresent(
            path -> {
              throw CommandFailure.usage(
                  path
                      + ": belongs to the archive too and is not named; give the folder "
                      + folder.path());
            });
  }
}
