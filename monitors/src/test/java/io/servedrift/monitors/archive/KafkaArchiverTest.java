package io.servedrift.monitors.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Tick;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaArchiverTest {
  private static final Instant START = Instant.parse("2026-11-30T10:00:00Z");
  private static final Topics TOPICS = new Topics("servedrift");
  private static final Manifest.Range ALL =
      new Manifest.Range("cluster", "servedrift", null, null, null, null);

  private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> log = new HashMap<>();

  @TempDir private Path temporary;
  private Path folder;

  @BeforeEach
  void writeTopics() {
    folder = temporary.resolve("archive");
    for (String topic :
        List.of(TOPICS.requests(), TOPICS.scores(), TOPICS.servingEvents(), TOPICS.configs())) {
      log.put(new TopicPartition(topic, 0), new ArrayList<>());
    }
    for (int i = 0; i < 25; i++) {
      add(TOPICS.requests(), i, request(i));
      add(TOPICS.scores(), i, EventCodec.encode(new Tick(START.plusSeconds(i))));
    }
    // Offset 7 is a transaction marker: no record has it.
    log.get(new TopicPartition(TOPICS.requests(), 0)).remove(7);
    add(TOPICS.configs(), 0, null);
  }

  private static byte[] request(int i) {
    return """
    {"type":"request","request_id":"r-%d","deployment":"d","finished_at":"%s","status":"ok",\
    "latency_seconds":1.5}
    """
        .formatted(i, START.plusSeconds(i))
        .getBytes(StandardCharsets.UTF_8);
  }

  private void add(String topic, int offset, byte[] value) {
    log.get(new TopicPartition(topic, 0))
        .add(Records.record(topic, 0, offset, START.plusSeconds(offset), value));
  }

  @Test
  void keepsOffsetsTimesKeysValuesAndHeaders() throws IOException {
    List<ConsumerRecord<byte[], byte[]>> requests =
        log.get(new TopicPartition(TOPICS.requests(), 0));
    ConsumerRecord<byte[], byte[]> plain = requests.get(3);
    RecordHeaders headers = new RecordHeaders();
    headers.add("h", new byte[] {1, 2}).add("h", null);
    ConsumerRecord<byte[], byte[]> full =
        new ConsumerRecord<>(
            plain.topic(),
            0,
            plain.offset(),
            plain.timestamp(),
            plain.timestampType(),
            2,
            3,
            new byte[] {9, 8},
            new byte[] {5, 6, 7},
            headers,
            plain.leaderEpoch());
    requests.set(3, full);

    archiver(1_000, () -> false).run(ALL, null, ArchiveCodec.ZSTD);

    ArchivedTraffic traffic = ArchivedTraffic.of(List.of(ArchiveFolder.open(folder)), bytes -> {});
    List<ConsumerRecord<byte[], byte[]>> read = read(traffic, ArchiveRole.REQUESTS);
    assertThat(read).extracting(ConsumerRecord::offset).doesNotContain(7L).hasSize(24);
    assertThat(read)
        .extracting(ConsumerRecord::timestamp)
        .isEqualTo(requests.stream().map(ConsumerRecord::timestamp).toList());
    assertThat(read.get(3).key()).containsExactly(9, 8);
    assertThat(read.get(3).value()).containsExactly(5, 6, 7);
    assertThat(read.get(3).headers()).isEqualTo(headers);
    assertThat(read.get(2).key()).isNull();
    assertThat(read(traffic, ArchiveRole.CONFIGS).get(0).value()).isNull();
    assertThat(traffic.count(ArchiveRole.JUDGE_STATE)).isZero();
  }

  @Test
  void othersReadTheFilesAndTheValues() throws IOException {
    Manifest manifest = archiver(1_000, () -> false).run(ALL, null, ArchiveCodec.DEFLATE);
    ArchivedFile scores = manifest.files(ArchiveRole.SCORES, 0).get(0);
    try (DataFileReader<GenericRecord> file =
        new DataFileReader<>(folder.resolve(scores.name()).toFile(), new GenericDatumReader<>())) {
      assertThat(file.getMetaString("servedrift.topic")).isEqualTo(TOPICS.scores());
      assertThat(file.getMetaLong("servedrift.partition")).isZero();
      assertThat(file.getMetaString("avro.codec")).isEqualTo("deflate");
      GenericRecord first = file.next();
      assertThat(first.get("offset")).isEqualTo(0L);
      assertThat(first.get("timestamp")).isEqualTo(START.toEpochMilli());
      ByteBuffer value = (ByteBuffer) first.get("value");
      value.order(ByteOrder.LITTLE_ENDIAN);
      String schema = String.format("schemas/%016x.avsc", value.getLong(value.position() + 2));
      assertThat(new Schema.Parser().parse(Files.readString(folder.resolve(schema))).getName())
          .isEqualTo("Tick");
    }
  }

  @Test
  void cutsAtFixedOffsets_andGoesOnWhereItWasStopped() throws IOException {
    int[] asked = {0};
    Manifest begun = archiver(10, () -> asked[0]++ > 5).run(ALL, null, ArchiveCodec.ZSTD);
    assertThat(begun.complete()).isFalse();
    assertThat(begun.files()).isNotEmpty();
    assertThatThrownBy(() -> ArchivedTraffic.of(List.of(ArchiveFolder.open(folder)), bytes -> {}))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("not complete");
    ArchivedFile kept = begun.files().get(0);
    var written = Files.getLastModifiedTime(folder.resolve(kept.name()));
    // What came meanwhile belongs to another archive.
    add(TOPICS.requests(), 25, new byte[] {1});

    Manifest whole = archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD);

    assertThat(whole.complete()).isTrue();
    assertThat(whole.files(ArchiveRole.REQUESTS, 0))
        .extracting(ArchivedFile::fromOffset)
        .containsExactly(0L, 10L, 20L);
    assertThat(whole.files(ArchiveRole.REQUESTS, 0))
        .extracting(ArchivedFile::records)
        .containsExactly(9L, 10L, 5L);
    assertThat(whole.files(ArchiveRole.REQUESTS, 0).get(2).lastAt())
        .isEqualTo(START.plusSeconds(24));
    assertThat(whole.eventsInRange()).isEqualTo(24);
    assertThat(Files.getLastModifiedTime(folder.resolve(kept.name()))).isEqualTo(written);
    try (var files = Files.list(folder)) {
      assertThat(files).noneMatch(file -> file.toString().endsWith(".part"));
    }
  }

  @Test
  void aFileStandsForTheOffsetsWithoutRecordsBeforeIt_andNoRecordIsTwiceInThem()
      throws IOException {
    List<ConsumerRecord<byte[], byte[]>> requests =
        log.get(new TopicPartition(TOPICS.requests(), 0));
    requests.clear();
    for (int offset : new int[] {2, 35, 36, 41, 75}) {
      add(TOPICS.requests(), offset, request(offset));
    }
    // The second run goes on where the first file ended.
    int[] asked = {0};
    Manifest begun = archiver(10, 1, () -> asked[0]++ > 2).run(ALL, null, ArchiveCodec.ZSTD);
    assertThat(begun.files(ArchiveRole.REQUESTS, 0)).hasSize(1);
    Manifest whole = archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD);

    List<ArchivedFile> files = whole.files(ArchiveRole.REQUESTS, 0);
    assertThat(files).extracting(ArchivedFile::fromOffset).containsExactly(0L, 30L, 40L, 70L);
    assertThat(files).extracting(ArchivedFile::toOffset).containsExactly(30L, 40L, 70L, 76L);
    assertThat(files).extracting(ArchivedFile::records).containsExactly(1L, 2L, 1L, 1L);
    assertThat(ArchiveFolder.open(folder).problems(bytes -> {})).isEmpty();
  }

  @Test
  void aFirstFileStandsForTheOffsetsThatWereCompactedAway() throws IOException {
    log.get(new TopicPartition(TOPICS.configs(), 0)).clear();
    for (int offset : new int[] {35, 36, 41}) {
      add(TOPICS.configs(), offset, null);
    }
    List<ArchivedFile> files =
        archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD).files(ArchiveRole.CONFIGS, 0);
    assertThat(files).extracting(ArchivedFile::fromOffset).containsExactly(0L, 40L);
    assertThat(files).extracting(ArchivedFile::toOffset).containsExactly(40L, 42L);
    assertThat(files).extracting(ArchivedFile::records).containsExactly(2L, 1L);
  }

  @Test
  void seesAFileThatTheManifestDoesNotName_andWritesItAgain() throws IOException {
    Manifest whole = archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD);
    ArchivedFile middle = whole.files(ArchiveRole.REQUESTS, 0).get(1);
    ArchivedFile last = whole.files(ArchiveRole.SCORES, 0).get(2);
    new ManifestFile(folder)
        .write(
            whole.withFiles(
                whole.files().stream()
                    .filter(file -> !file.equals(middle) && !file.equals(last))
                    .toList()));

    assertThat(ArchiveFolder.open(folder).problems(bytes -> {}))
        .hasSize(2)
        .anyMatch(
            line -> line.startsWith("requests-0: no file stands for the offsets from 10 to 20"))
        .anyMatch(
            line -> line.startsWith("scores-0: no file stands for the offsets from 20 to 25"));

    Manifest again = archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD);
    assertThat(again.records()).isEqualTo(whole.records());
    assertThat(ArchiveFolder.open(folder).problems(bytes -> {})).isEmpty();
  }

  @Test
  void seesFilesThatOverlap() throws IOException {
    Manifest whole = archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD);
    List<ArchivedFile> files = new ArrayList<>(whole.files());
    files.add(whole.files(ArchiveRole.REQUESTS, 0).get(2));
    new ManifestFile(folder).write(whole.withFiles(files));
    assertThat(ArchiveFolder.open(folder).problems(bytes -> {}))
        .singleElement()
        .asString()
        .contains("begins before offset 25");
  }

  @Test
  void aFolderCanBeUsedAgain_afterARunThatBrokeOffBeforeItsManifest() throws IOException {
    TopicPartition events = new TopicPartition(TOPICS.servingEvents(), 0);
    List<ConsumerRecord<byte[], byte[]>> kept = log.remove(events);
    assertThatThrownBy(() -> archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("does not exist");
    Files.writeString(folder.resolve("manifest.json.part"), "{");
    log.put(events, kept);
    assertThat(archiver(10, () -> false).run(ALL, null, ArchiveCodec.ZSTD).complete()).isTrue();
    assertThat(folder.resolve("schemas")).isDirectoryContaining("glob:**.avsc");
  }

  @Test
  void refusesAManifestThatReachesOutOfItsFolder() throws IOException {
    archiver(1_000, () -> false).run(ALL, null, ArchiveCodec.ZSTD);
    Path manifest = folder.resolve("manifest.json");
    Files.writeString(
        manifest, Files.readString(manifest).replaceFirst("requests-0000-", "../requests-0000-"));
    assertThatThrownBy(() -> ArchiveFolder.open(folder))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("is no name of an archived file");
  }

  private KafkaArchiver archiver(long offsetsPerFile, BooleanSupplier stopped) {
    return archiver(offsetsPerFile, 4, stopped);
  }

  private KafkaArchiver archiver(long offsetsPerFile, int perPoll, BooleanSupplier stopped) {
    return new KafkaArchiver(
        new LogConsumer(perPoll),
        TOPICS,
        new EventReader(),
        10,
        folder,
        (done, total) -> {},
        stopped,
        offsetsPerFile);
  }

  private static List<ConsumerRecord<byte[], byte[]>> read(
      ArchivedTraffic traffic, ArchiveRole role) throws IOException {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (PartitionRecords records = traffic.read(role, 0)) {
      for (var record = records.take(); record != null; record = records.take()) {
        all.add(record);
      }
    }
    return all;
  }

  /** Gives each partition its log whenever it is assigned. */
  private final class LogConsumer extends MockConsumer<byte[], byte[]> {
    LogConsumer(int perPoll) {
      super("none");
      setMaxPollRecords(perPoll);
      log.forEach(
          (partition, records) -> {
            updatePartitions(
                partition.topic(),
                List.of(new PartitionInfo(partition.topic(), 0, null, null, null)));
            updateBeginningOffsets(Map.of(partition, 0L));
            updateEndOffsets(
                Map.of(
                    partition,
                    records.isEmpty() ? 0L : records.get(records.size() - 1).offset() + 1));
          });
    }

    @Override
    public synchronized void assign(Collection<TopicPartition> partitions) {
      super.assign(partitions);
      partitions.forEach(partition -> log.get(partition).forEach(this::addRecord));
    }
  }
}
