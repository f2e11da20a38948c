package io.servedrift.monitors.archive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A folder with an archive, for reading. Immutable; the files must not change meanwhile. */
public final class ArchiveFolder {
  private final Path folder;
  private final Manifest manifest;

  private ArchiveFolder(Path folder, Manifest manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  /** Whether a path is a folder with an archive. */
  public static boolean isArchive(Path path) {
    return Files.isDirectory(path) && new ManifestFile(path).exists();
  }

  /**
   * Opens an archive; nothing is checked yet but its manifest.
   *
   * @throws ArchiveException when there is none, or its manifest cannot be read
   */
  public static ArchiveFolder open(Path folder) {
    return new ArchiveFolder(folder, new ManifestFile(folder).read());
  }

  /** What it holds. */
  public Manifest manifest() {
    return manifest;
  }

  /** Where it is. */
  public Path path() {
    return folder;
  }

  /**
   * Compares every file with the manifest: there, of the right size, with the right SHA-256. And
   * the manifest with itself: the files of a partition stand for all its offsets, each for others.
   *
   * @param progress called with the number of bytes checked so far
   * @return one line for each problem; none when all is well
   */
  public List<String> problems(LongConsumer progress) {
    List<String> problems = new ArrayList<>();
    long done = 0;
    for (ArchivedFile file : manifest.files()) {
      String problem = problem(folder, file);
      if (problem != null) {
        problems.add(problem);
      }
      done += file.bytes();
      progress.accept(done);
    }
    for (ArchivedPartition partition : manifest.partitions()) {
      if (!partition.complete()) {
        problems.add(
            String.format(
                Locale.ROOT,
                "%s-%d: not complete; run the same archive command again",
                partition.role().word(),
                partition.partition()));
      } else {
        problems.addAll(gaps(partition));
      }
    }
    return problems;
  }

  private List<String> gaps(ArchivedPartition partition) {
    List<String> gaps = new ArrayList<>();
    long end = partition.startOffset();
    for (ArchivedFile file : manifest.files(partition.role(), partition.partition())) {
      if (file.fromOffset() < end) {
        gaps.add(file.name() + ": begins before offset " + end + ", where the file before it ends");
      } else if (file.fromOffset() > end) {
        gaps.add(gap(partition, end, file.fromOffset()));
      }
      end = file.toOffset();
    }
    if (end != partition.endOffset()) {
      gaps.add(gap(partition, end, partition.endOffset()));
    }
    return gaps;
  }

  private static String gap(ArchivedPartition partition, long from, long to) {
    return String.format(
        Locale.ROOT,
        "%s-%d: no file stands for the offsets from %d to %d; run the same archive command again",
        partition.role().word(),
        partition.partition(),
        from,
        to);
  }

  static @Nullable String problem(Path folder, ArchivedFile file) {
    Path path = folder.resolve(file.name());
    try {
      long size = Files.size(path);
      if (size != file.bytes()) {
        return file.name() + ": has " + size + " bytes, must have " + file.bytes();
      }
      return Sha256.of(path).equals(file.sha256())
          ? null
          : file.name() + ": its SHA-256 is not that of the manifest";
    } catch (NoSuchFileException e) {
      return file.name() + ": is missing";
    } catch (IOException e) {
      return file.name() + ": cannot be read: " + e;
    }
  }
}
