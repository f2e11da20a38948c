package io.servedrift.monitors.archive;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.file.DataFileStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of one topic partition in the order of offsets, each once, from files of one or
 * several archives. Holds one file open and one block of it in memory. Not thread-safe.
 */
public final class PartitionRecords implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final String topic;
  private final int partition;
  private final Deque<Source> files;
  private @Nullable DataFileStream<ConsumerRecord<byte[], byte[]>> open;
  private @Nullable Path openPath;
  private long nextOffset;
  private @Nullable ConsumerRecord<byte[], byte[]> next;

  /** A file and the folder it is in. */
  record Source(Path folder, ArchivedFile file) {}

  PartitionRecords(String topic, int partition, List<Source> files) {
    this.topic = topic;
    this.partition = partition;
    this.files = new ArrayDeque<>(files);
  }

  /**
   * The next record without taking it; null at the end.
   *
   * @throws ArchiveException when a file is damaged
   */
  public @Nullable ConsumerRecord<byte[], byte[]> peek() {
    if (next == null) {
      next = read();
    }
    return next;
  }

  /** Takes the next record; null at the end. */
  public @Nullable ConsumerRecord<byte[], byte[]> take() {
    ConsumerRecord<byte[], byte[]> record = peek();
    next = null;
    return record;
  }

  /** Passes over everything before the first record that is not older than a time. */
  public void seek(Instant time) {
    while (open == null && !files.isEmpty() && isOlder(files.element().file(), time)) {
      nextOffset = files.remove().file().toOffset();
    }
    long millis = time.toEpochMilli();
    for (ConsumerRecord<byte[], byte[]> record = peek();
        record != null && record.timestamp() < millis;
        record = peek()) {
      next = null;
    }
  }

  private static boolean isOlder(ArchivedFile file, Instant time) {
    Instant last = file.lastAt();
    return last == null || last.isBefore(time);
  }

  private @Nullable ConsumerRecord<byte[], byte[]> read() {
    try {
      while (true) {
        if (open == null) {
          if (files.isEmpty()) {
            return null;
          }
          openNext();
        }
        DataFileStream<ConsumerRecord<byte[], byte[]>> stream = open;
        if (stream == null || !stream.hasNext()) {
          close();
          continue;
        }
        ConsumerRecord<byte[], byte[]> record = stream.next();
        // Archives of neighbouring ranges overlap by what a replay needs before its start.
        if (record.offset() >= nextOffset) {
          nextOffset = record.offset() + 1;
          return record;
        }
      }
    } catch (IOException | AvroRuntimeException e) {
      throw new ArchiveException(
          ArchiveException.Kind.DAMAGED, openPath + ": cannot be read: " + e, e);
    }
  }

  private void openNext() throws IOException {
    Source source = files.remove();
    Path path = source.folder().resolve(source.file().name());
    openPath = path;
    open =
        new DataFileStream<>(
            new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES),
            new RecordFormat.Reader(topic, partition));
  }

  @Override
  public void close() throws IOException {
    if (open != null) {
      open.close();
      open = null;
    }
  }
}
