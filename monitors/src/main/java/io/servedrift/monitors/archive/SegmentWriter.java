package io.servedrift.monitors.archive;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Locale;
import org.apache.avro.file.DataFileWriter;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Writes one file of an archive under the name {@code *.part}; only a finished one gets its own
 * name. Not thread-safe.
 */
final class SegmentWriter implements AutoCloseable {
  /** End of the names of files that are not finished. */
  static final String PART = ".part";

  private static final int BLOCK_BYTES = 256 * 1024;

  private final ArchiveRole role;
  private final int partition;
  private final long fromOffset;
  private final Path path;
  private final Path part;
  private final MessageDigest digest = Sha256.digest();
  private final FileChannel channel;
  private final DataFileWriter<ConsumerRecord<byte[], byte[]>> out;
  private long records;
  private long eventsInRange;
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  private SegmentWriter(
      Path folder, ArchiveRole role, int partition, long fromOffset, FileChannel channel)
      throws IOException {
    this.role = role;
    this.partition = partition;
    this.fromOffset = fromOffset;
    this.path = folder.resolve(name(role, partition, fromOffset));
    this.part = part(path);
    this.channel = channel;
    this.out = new DataFileWriter<>(new RecordFormat.Writer());
  }

  /** Begins a file that stands for the offsets of a partition from this one on. */
  static SegmentWriter open(
      Path folder,
      String topic,
      ArchiveRole role,
      int partition,
      long fromOffset,
      ArchiveCodec codec)
      throws IOException {
    FileChannel channel =
        FileChannel.open(
            part(folder.resolve(name(role, partition, fromOffset))),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    try {
      SegmentWriter writer = new SegmentWriter(folder, role, partition, fromOffset, channel);
      writer.begin(topic, codec);
      return writer;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private void begin(String topic, ArchiveCodec codec) throws IOException {
    OutputStream bytes =
        new DigestOutputStream(
            new BufferedOutputStream(Channels.newOutputStream(channel), BLOCK_BYTES), digest);
    out.setCodec(codec.factory());
    out.setSyncInterval(BLOCK_BYTES);
    out.setMeta("servedrift.topic", topic);
    out.setMeta("servedrift.role", role.word());
    out.setMeta("servedrift.partition", partition);
    out.create(RecordFormat.SCHEMA, bytes);
  }

  private static String name(ArchiveRole role, int partition, long fromOffset) {
    return String.format(Locale.ROOT, "%s-%04d-%020d.avro", role.word(), partition, fromOffset);
  }

  private static Path part(Path path) {
    return path.resolveSibling(path.getFileName() + PART);
  }

  /**
   * Adds a record; their offsets rise.
   *
   * @param eventInRange whether it counts as an event of the range
   */
  void append(ConsumerRecord<byte[], byte[]> record, boolean eventInRange) throws IOException {
    out.append(record);
    records++;
    eventsInRange += eventInRange ? 1 : 0;
    first = Math.min(first, record.timestamp());
    last = Math.max(last, record.timestamp());
  }

  /**
   * Finishes the file: on the disk, under its own name.
   *
   * @param toOffset end of the offsets it stands for, not included
   */
  ArchivedFile finish(long toOffset) throws IOException {
    out.flush();
    channel.force(true);
    out.close();
    ArchivedFile file =
        new ArchivedFile(
            path.getFileName().toString(),
            role,
            partition,
            fromOffset,
            toOffset,
            records,
            eventsInRange,
            records == 0 ? null : Instant.ofEpochMilli(first),
            records == 0 ? null : Instant.ofEpochMilli(last),
            Files.size(part),
            Sha256.hex(digest));
    Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return file;
  }

  /** Gives up what is not finished. */
  void discard() throws IOException {
    channel.close();
    Files.deleteIfExists(part);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
