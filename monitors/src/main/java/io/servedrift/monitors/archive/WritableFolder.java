package io.servedrift.monitors.archive;

import io.servedrift.schemas.SchemaCatalog;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaFormatter;
import org.jspecify.annotations.Nullable;

/** The folder an archive is written to, by one process at a time. Not thread-safe. */
final class WritableFolder implements AutoCloseable {
  /** The schemas that values were written with, so that others can read them without this jar. */
  static final String SCHEMAS = "schemas";

  private static final String LOCK = ".lock";

  private final Path folder;
  private final ManifestFile manifest;
  private final FileChannel lock;

  private WritableFolder(Path folder, FileChannel lock) {
    this.folder = folder;
    this.manifest = new ManifestFile(folder);
    this.lock = lock;
  }

  /**
   * Opens a folder, made when it is not there.
   *
   * @throws ArchiveException when it holds something that is no archive, or is being written to
   */
  static WritableFolder open(Path folder) throws IOException {
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE, folder + ": is a file, must be a folder");
    }
    Files.createDirectories(folder);
    if (!new ManifestFile(folder).exists() && !isEmpty(folder)) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE,
          folder + ": is not empty and holds no archive; give another --out");
    }
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (locked(channel) == null) {
        throw new ArchiveException(
            ArchiveException.Kind.USAGE, folder + ": another process is writing to it");
      }
      WritableFolder opened = new WritableFolder(folder, channel);
      opened.removeUnfinished();
      return opened;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static @Nullable FileLock locked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  /** Whether nothing is there but what a run leaves that broke off before its first manifest. */
  private static boolean isEmpty(Path folder) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (!name.equals(LOCK) && !name.equals(ManifestFile.NAME + SegmentWriter.PART)) {
          return false;
        }
      }
      return true;
    }
  }

  private void removeUnfinished() throws IOException {
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, "*" + SegmentWriter.PART)) {
      for (Path part : parts) {
        Files.delete(part);
      }
    }
  }

  /** Writes the schemas, anew when they are there. */
  void writeSchemas() throws IOException {
    SchemaFormatter format = SchemaFormatter.getInstance("json/pretty");
    Path schemas = Files.createDirectories(folder.resolve(SCHEMAS));
    for (Map.Entry<Long, Schema> one : SchemaCatalog.all().entrySet()) {
      Files.writeString(
          schemas.resolve(String.format("%016x.avsc", one.getKey())),
          format.format(one.getValue()) + "\n",
          StandardCharsets.UTF_8);
    }
  }

  /** The manifest of an archive begun before, or null. */
  @Nullable Manifest known() {
    return manifest.exists() ? manifest.read() : null;
  }

  void save(Manifest changed) throws IOException {
    manifest.write(changed);
  }

  SegmentWriter begin(
      String topic, ArchiveRole role, int partition, long fromOffset, ArchiveCodec codec)
      throws IOException {
    return SegmentWriter.open(folder, topic, role, partition, fromOffset, codec);
  }

  /**
   * What of an archive can be kept: of each partition the files up to the first that is missing,
   * has another checksum or does not begin where the one before it ends.
   */
  Manifest withoutDamage(Manifest known) {
    List<ArchivedFile> kept = new ArrayList<>();
    Set<ArchivedPartition> damaged = new HashSet<>();
    for (ArchivedPartition partition : known.partitions()) {
      long end = partition.startOffset();
      for (ArchivedFile file : known.files(partition.role(), partition.partition())) {
        if (file.fromOffset() != end || ArchiveFolder.problem(folder, file) != null) {
          damaged.add(partition);
          break;
        }
        kept.add(file);
        end = file.toOffset();
      }
      if (end != partition.endOffset()) {
        damaged.add(partition);
      }
    }
    Manifest usable = known.withFiles(kept);
    for (ArchivedPartition partition : damaged) {
      usable = usable.with(partition.incomplete());
    }
    return usable;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
