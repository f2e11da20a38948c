package io.servedrift.monitors.archive;

import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Copies a range of the input topics into a folder, one partition after the other, so that memory
 * does not grow with the range. What is asked for again is continued: finished files with the right
 * checksum stay, the rest is written anew. Writes nothing to Kafka. Not thread-safe.
 */
public final class KafkaArchiver {
  /** Files end at multiples of this many offsets, so a second run cuts where the first one did. */
  private static final long OFFSETS_PER_FILE = 250_000;

  private final Consumer<byte[], byte[]> consumer;
  private final Topics topics;
  private final EventReader reader;
  private final int heldLimit;
  private final Path folder;
  private final Progress progress;
  private final BooleanSupplier stopped;
  private final long offsetsPerFile;

  /** Told how far it is. */
  public interface Progress {
    /** Records done and, about, in all. */
    void at(long done, long total);
  }

  /**
   * @param consumer not subscribed, {@code read_committed}, {@code auto.offset.reset=none}; stays
   *     the caller's to close
   * @param heldLimit how many records may wait for the next tick of a partition; beyond that they
   *     move its clock
   * @param folder where to write; made when it is not there
   * @param stopped asked now and then; true ends the run, to be continued another time
   */
  public KafkaArchiver(
      Consumer<byte[], byte[]> consumer,
      Topics topics,
      EventReader reader,
      int heldLimit,
      Path folder,
      Progress progress,
      BooleanSupplier stopped) {
    this(consumer, topics, reader, heldLimit, folder, progress, stopped, OFFSETS_PER_FILE);
  }

  KafkaArchiver(
      Consumer<byte[], byte[]> consumer,
      Topics topics,
      EventReader reader,
      int heldLimit,
      Path folder,
      Progress progress,
      BooleanSupplier stopped,
      long offsetsPerFile) {
    this.consumer = consumer;
    this.topics = topics;
    this.reader = reader;
    this.heldLimit = heldLimit;
    this.folder = folder;
    this.progress = progress;
    this.stopped = stopped;
    this.offsetsPerFile = offsetsPerFile;
  }

  /**
   * Writes the archive or what is missing of it.
   *
   * @param range what to keep
   * @param stateFrom time of the first checkpoint of the judge that is kept with it, null for none
   * @return what the folder holds now; not complete when it was stopped
   * @throws ArchiveException when the folder holds something else, or records are gone
   * @throws IOException when the folder cannot be written
   */
  public Manifest run(Manifest.Range range, @Nullable Instant stateFrom, ArchiveCodec codec)
      throws IOException {
    try (WritableFolder target = WritableFolder.open(folder)) {
      Manifest known = target.known();
      if (known == null) {
        known = new Manifest(range, codec, plan(range, stateFrom), List.of());
        target.save(known);
      } else {
        requireSame(known, range, codec);
        known = target.withoutDamage(known);
      }
      target.writeSchemas();
      return copyAll(target, known);
    }
  }

  private void requireSame(Manifest known, Manifest.Range range, ArchiveCodec codec) {
    if (!known.range().sameRequest(range) || known.codec() != codec) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE,
          folder
              + ": holds the archive of another range, cluster, prefix or codec (from "
              + known.range().from()
              + " to "
              + known.range().to()
              + ", prefix "
              + known.range().topicPrefix()
              + ", "
              + known.codec().word()
              + "); give another --out");
    }
  }

  private List<ArchivedPartition> plan(Manifest.Range range, @Nullable Instant stateFrom) {
    List<ArchivedPartition> plan = new ArrayList<>();
    for (ArchiveRole role : ArchiveRole.values()) {
      boolean whole = role == ArchiveRole.CONFIGS;
      if (role == ArchiveRole.JUDGE_STATE && stateFrom == null) {
        continue;
      }
      Instant start = role == ArchiveRole.JUDGE_STATE ? stateFrom : range.readFrom();
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions(role));
      Map<TopicPartition, Long> starts =
          KafkaStart.offsets(consumer, whole ? null : range.from(), whole ? null : start, ends);
      for (int i = 0; i < ends.size(); i++) {
        TopicPartition partition = new TopicPartition(role.topic(topics), i);
        long end = ends.getOrDefault(partition, 0L);
        plan.add(
            new ArchivedPartition(
                role, i, Math.min(end, starts.getOrDefault(partition, 0L)), end, false));
      }
    }
    return plan;
  }

  private Collection<TopicPartition> partitions(ArchiveRole role) {
    List<PartitionInfo> found = consumer.partitionsFor(role.topic(topics));
    if (found == null || found.isEmpty()) {
      throw new ArchiveException(
          ArchiveException.Kind.USAGE, "topic " + role.topic(topics) + " does not exist");
    }
    return found.stream().map(one -> new TopicPartition(one.topic(), one.partition())).toList();
  }

  private Manifest copyAll(WritableFolder target, Manifest begun) throws IOException {
    Manifest manifest = begun;
    long total = 0;
    for (ArchivedPartition one : manifest.partitions()) {
      total += one.endOffset() - one.startOffset();
    }
    long done = 0;
    for (ArchivedPartition one : manifest.partitions()) {
      if (!one.complete() && !stopped.getAsBoolean()) {
        manifest = copy(target, manifest, one, done, total);
      }
      done += one.endOffset() - one.startOffset();
    }
    return manifest;
  }

  private Manifest copy(
      WritableFolder target, Manifest begun, ArchivedPartition partition, long done, long total)
      throws IOException {
    List<ArchivedFile> files = begun.files(partition.role(), partition.partition());
    long position =
        files.isEmpty() ? partition.startOffset() : files.get(files.size() - 1).toOffset();
    TopicPartition source =
        new TopicPartition(partition.role().topic(topics), partition.partition());
    consumer.assign(List.of(source));
    consumer.seek(source, position);
    BrokerWatch watch = new BrokerWatch(consumer);
    RangeEnd end = new RangeEnd(partition.role(), begun.range(), reader, heldLimit);
    try (PartitionFiles out = new PartitionFiles(target, begun, partition, source, position)) {
      while (!end.reached() && consumer.position(source) < partition.endOffset()) {
        if (stopped.getAsBoolean()) {
          return out.manifest();
        }
        for (ConsumerRecord<byte[], byte[]> record : watch.poll()) {
          if (record.offset() >= partition.endOffset() || end.isBehind(record)) {
            break;
          }
          out.append(record, end.countsAsEvent(record));
        }
        progress.at(done + out.position() - partition.startOffset(), total);
      }
      return out.complete(
          end.reached()
              ? out.position()
              : Math.min(partition.endOffset(), consumer.position(source)));
    } catch (InvalidOffsetException e) {
      throw new ArchiveException(
          ArchiveException.Kind.NO_DATA,
          source + ": records were deleted, by their age, before they were archived",
          e);
    }
  }

  /** Where the copies of one partition go; cuts them into files. */
  private final class PartitionFiles implements AutoCloseable {
    private final WritableFolder target;
    private final ArchivedPartition partition;
    private final TopicPartition source;
    private Manifest manifest;
    private @Nullable SegmentWriter current;
    private long fileStart;
    private long cutAt;
    private long position;

    PartitionFiles(
        WritableFolder target,
        Manifest manifest,
        ArchivedPartition partition,
        TopicPartition source,
        long position) {
      this.target = target;
      this.manifest = manifest;
      this.partition = partition;
      this.source = source;
      this.fileStart = position;
      this.position = position;
    }

    Manifest manifest() {
      return manifest;
    }

    long position() {
      return position;
    }

    void append(ConsumerRecord<byte[], byte[]> record, boolean event) throws IOException {
      long boundary = record.offset() / offsetsPerFile * offsetsPerFile;
      SegmentWriter writer = current;
      if (writer != null && record.offset() >= cutAt) {
        finish(writer, boundary);
        writer = null;
      }
      if (writer == null) {
        writer = begin();
        cutAt = boundary + offsetsPerFile;
      }
      writer.append(record, event);
      position = record.offset() + 1;
    }

    /** A file begins where the one before it ends, also when no record has those offsets. */
    private SegmentWriter begin() throws IOException {
      SegmentWriter writer =
          target.begin(
              source.topic(), partition.role(), source.partition(), fileStart, manifest.codec());
      current = writer;
      return writer;
    }

    private void finish(SegmentWriter writer, long toOffset) throws IOException {
      current = null;
      manifest = manifest.with(writer.finish(toOffset));
      target.save(manifest);
      fileStart = toOffset;
    }

    Manifest complete(long toOffset) throws IOException {
      SegmentWriter writer = current;
      if (writer != null || toOffset > fileStart) {
        // Offsets without a record get a file too: what no file stands for is missing.
        finish(writer == null ? begin() : writer, toOffset);
      }
      manifest = manifest.with(partition.completedAt(toOffset));
      target.save(manifest);
      return manifest;
    }

    @Override
    public void close() throws IOException {
      if (current != null) {
        current.discard();
      }
    }
  }
}
