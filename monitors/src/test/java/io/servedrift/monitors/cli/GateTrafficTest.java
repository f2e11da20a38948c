package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.archive.ArchiveCodec;
import io.servedrift.monitors.archive.KafkaArchiver;
import io.servedrift.monitors.archive.Manifest;
import io.servedrift.monitors.gate.run.RecordedTraffic;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GateTrafficTest {
  private static final Instant START = Instant.parse("2026-11-30T10:00:00Z");
  private static final Topics TOPICS = new Topics("servedrift");
  private static final int REQUESTS = 20;

  @TempDir private Path folder;
  private final CommandContext context = new CommandLineHarness().context();

  /** Every two seconds one; every fourth is of another deployment. */
  private static String request(int i) {
    return """
    {"type":"request","request_id":"r-%d","deployment":"%s","finished_at":"%s","status":"ok",\
    "latency_seconds":1.0,"workload":{"modality":"image","prompt_class":"a","prompt_hash":"h%d"},\
    "batch":{"size_mean":5.0,"running":3},"cache":{"hit":true}}
    """
        .formatted(i, i % 4 == 3 ? "other" : "d", START.plusSeconds(2L * i), i % 5);
  }

  private RecordedTraffic read(Path file, List<RequestEvent> each) throws Exception {
    return GateTraffic.read(file, "d", each::add, context);
  }

  private static void check(RecordedTraffic traffic, List<RequestEvent> each) {
    assertThat(each).hasSize(15).allMatch(one -> one.getDeployment().equals("d"));
    assertThat(traffic.profile().classes()).isEqualTo(Map.of("a", 15L));
    // Five prompts, each asked for three times.
    assertThat(traffic.profile().repeatShare()).isEqualTo(10.0 / 15);
    assertThat(traffic.gapsSeconds()).hasSize(14).containsOnly(2.0, 4.0);
    assertThat(traffic.profile().requests())
        .hasSize(1)
        .allSatisfy(
            (cell, n) -> {
              assertThat(cell.batch()).isEqualTo("4-7");
              assertThat(cell.cache()).isEqualTo("hit");
              assertThat(cell.concurrency()).isEqualTo("2-3");
              assertThat(n).isEqualTo(15);
            });
  }

  @Test
  void readsAFileOfEvents() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < REQUESTS; i++) {
      lines.append(request(i));
    }
    Path file = Files.writeString(folder.resolve("requests.ndjson"), lines);
    List<RequestEvent> each = new ArrayList<>();

    check(read(file, each), each);
  }

  @Test
  void readsAnArchive() throws Exception {
    Path archive = folder.resolve("archive");
    archive(archive);
    List<RequestEvent> each = new ArrayList<>();

    check(read(archive, each), each);
  }

  @Test
  void saysThatThereIsNoRequest() throws IOException {
    Path file = Files.writeString(folder.resolve("requests.ndjson"), request(3));

    assertThatThrownBy(() -> read(file, new ArrayList<>()))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("holds no request to replay");
  }

  private static void archive(Path into) throws IOException, InterruptedException {
    Manifest.Range all = new Manifest.Range("cluster", "servedrift", null, null, null, null);
    new KafkaArchiver(
            new Log(), TOPICS, new EventReader(), 10, into, (done, total) -> {}, () -> false)
        .run(all, null, ArchiveCodec.ZSTD);
  }

  /** A cluster whose requests topic holds the requests. */
  private static final class Log extends MockConsumer<byte[], byte[]> {
    Log() {
      super("none");
      for (String topic :
          List.of(TOPICS.requests(), TOPICS.scores(), TOPICS.servingEvents(), TOPICS.configs())) {
        TopicPartition partition = new TopicPartition(topic, 0);
        updatePartitions(topic, List.of(new PartitionInfo(topic, 0, null, null, null)));
        updateBeginningOffsets(Map.of(partition, 0L));
        boolean requests = topic.equals(TOPICS.requests());
        updateEndOffsets(Map.of(partition, requests ? (long) REQUESTS : 0L));
      }
    }

    @Override
    public synchronized void assign(Collection<TopicPartition> partitions) {
      super.assign(partitions);
      if (!partitions.contains(new TopicPartition(TOPICS.requests(), 0))) {
        return;
      }
      for (int i = 0; i < REQUESTS; i++) {
        byte[] value = request(i).getBytes(StandardCharsets.UTF_8);
        addRecord(
            new ConsumerRecord<>(
                TOPICS.requests(),
                0,
                i,
                START.plusSeconds(2L * i).toEpochMilli(),
                TimestampType.CREATE_TIME,
                0,
                value.length,
                null,
                value,
                new RecordHeaders(),
                Optional.empty()));
      }
    }
  }
}
