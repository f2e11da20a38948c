package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.files.EventFiles;
import io.servedrift.ingest.files.FileFormat;
import io.servedrift.ingest.files.HistoryImport;
import io.servedrift.ingest.files.ImportSettings;
import io.servedrift.ingest.files.Mapping;
import io.servedrift.ingest.files.ReadSummary;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.RangeAggregator;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.KafkaReplay;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.topology.MonitorStreams;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A trace in its own column layout, through its mapping: as a file, imported into a real broker and
 * replayed from there, and imported and read by the live topology. All three give the same windows,
 * and what they say agrees with a plain count over the file.
 */
class TracePathsIT {
  private static final Path MAPPING = Path.of("../ingest/examples/alibaba-gentd26.yaml");
  private static final Path FIXTURE =
      Path.of("../ingest/src/test/resources/traces/diffusion-trace.csv");
  private static final PaneSettings SETTINGS = PaneSettings.defaults();
  private static final Clock CLOCK = Clock.systemUTC();

  private static EmbeddedBroker broker;

  @TempDir Path dir;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.startTemporary();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void givesEqualWindowsOnAllThreePaths_forTheFixture() throws Exception {
    Windows file = replayFile(FIXTURE);
    importAndCompare(FIXTURE, file, "fixture");
    agreesWithPlainCounts(FIXTURE, file, 30);
  }

  @Test
  void givesEqualWindowsOnAllThreePaths_forTheRealTrace() throws Exception {
    String data = System.getProperty("SERVEDRIFT_TEST_DATA", System.getenv("SERVEDRIFT_TEST_DATA"));
    if (data == null) {
      System.out.println("left out: the real trace; SERVEDRIFT_TEST_DATA names its folder");
    }
    assumeThat(data).as("SERVEDRIFT_TEST_DATA, the folder of the real trace").isNotNull();
    Path trace = Path.of(data).resolve("alibaba-gentd26/request_trace_joined.csv");
    Windows file = replayFile(trace);
    assertThat(file.summary.accepted()).isEqualTo(26_790);
    importAndCompare(trace, file, "real");
    int configurations = agreesWithPlainCounts(trace, file, 200);
    assertThat(configurations).isGreaterThanOrEqualTo(20);
  }

  private static EventFiles files(Path file) throws Exception {
    return EventFiles.builder(List.of(file), FileFormat.CSV, Instant.now(CLOCK))
        .mapping(Mapping.load(MAPPING))
        .build();
  }

  private static Windows replayFile(Path file) throws Exception {
    try (SortedEvents events = files(file).read(letter -> {})) {
      Windows windows = new Windows(events.summary());
      new FileReplay(SETTINGS, new MetricLayouts(), JudgedRun.BY_DEFAULT, windows, new Tally())
          .run(events, fed -> {});
      return windows;
    }
  }

  private void importAndCompare(Path file, Windows expected, String name) throws Exception {
    Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    Topics topics = Topics.forHistory("history-" + name);
    new HistoryImport(ImportSettings.of(kafka, "history-" + name), CLOCK)
        .run(files(file), null, (records, bytes) -> {});

    Windows replayed = new Windows(null);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(kafka)) {
      new KafkaReplay(
              consumer,
              topics,
              SETTINGS,
              new MetricLayouts(),
              JudgedRun.BY_DEFAULT,
              new EventReader(),
              new Tally())
          .run(null, null, Checkpoints.NONE, replayed, read -> {});
    }
    assertThat(replayed.sorted()).isEqualTo(expected.sorted());

    MonitorStreams.Options options =
        new MonitorStreams.Options(
            kafka,
            "live-" + name,
            dir.resolve("state").toString(),
            Duration.ZERO,
            Duration.ofMillis(500),
            1,
            false);
    try (MonitorStreams monitor =
        new MonitorStreams(
            options,
            topics,
            SETTINGS,
            new MetricLayouts(),
            JudgedRun.BY_DEFAULT,
            new EventReader(),
            new Tally(),
            CLOCK)) {
      monitor.start();
      await()
          .atMost(Duration.ofMinutes(4))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> written(kafka, topics).size() >= expected.all.size());
      assertThat(written(kafka, topics)).isEqualTo(expected.sorted());
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> kafka) {
    Map<String, Object> config = new HashMap<>(kafka);
    config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static List<String> written(Map<String, Object> kafka, Topics topics) {
    List<String> windows = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(kafka)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topics.windows()).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream()
          .anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          // Heartbeats and how far windows are closed stand on the same topic.
          if (EventCodec.decode(record.value()) instanceof WindowSummary) {
            windows.add(HexFormat.of().formatHex(record.value()));
          }
        }
      }
    }
    windows.sort(null);
    return windows;
  }

  /**
   * Compares the whole range with the file itself; returns how many configurations had enough rows.
   */
  private static int agreesWithPlainCounts(Path file, Windows windows, int enough)
      throws IOException {
    Map<String, List<Double>> ok = new TreeMap<>();
    Map<String, int[]> ended = new TreeMap<>();
    List<String> lines = Files.readAllLines(file);
    for (String line : lines.subList(1, lines.size())) {
      String[] field = line.split(",", -1);
      String series = seriesOf(field);
      if (field[3].equals("SUCCEED")) {
        ok.computeIfAbsent(series, k -> new ArrayList<>()).add(Double.parseDouble(field[4]));
        ended.computeIfAbsent(series, k -> new int[2])[0]++;
      } else if (field[3].equals("FAILED")) {
        ended.computeIfAbsent(series, k -> new int[2])[1]++;
      }
    }
    Map<String, WindowSummary> latency = windows.ranges("latency");
    Map<String, WindowSummary> errors = windows.ranges("error_ratio");
    assertThat(latency.values().stream().mapToLong(WindowSummary::getN).sum())
        .isEqualTo(ok.values().stream().mapToLong(List::size).sum());
    int compared = 0;
    for (Map.Entry<String, List<Double>> series : ok.entrySet()) {
      if (series.getValue().size() < enough || !latency.containsKey(series.getKey())) {
        continue;
      }
      compared++;
      WindowSummary range = latency.get(series.getKey());
      assertThat(range.getN()).isEqualTo(series.getValue().size());
      liesBesideExact(range.getP50(), series.getValue(), 0.5, series.getKey());
      if (series.getValue().size() >= 100) {
        liesBesideExact(range.getP99(), series.getValue(), 0.99, series.getKey());
      }
      int[] counts = ended.get(series.getKey());
      WindowSummary ratio = errors.get(series.getKey());
      assertThat(ratio.getN()).isEqualTo(counts[0] + counts[1]);
      assertThat(ratio.getMean() * ratio.getN())
          .isCloseTo(counts[1], org.assertj.core.data.Offset.offset(1e-6));
    }
    assertThat(compared).isPositive();
    return compared;
  }

  /** Between the two distinct values next to the exact order statistic, nearest rank. */
  private static void liesBesideExact(Double shown, List<Double> values, double q, String series) {
    List<Double> sorted = values.stream().sorted().toList();
    double exact = sorted.get((int) Math.ceil(q * sorted.size()) - 1);
    TreeSet<Double> distinct = new TreeSet<>(sorted);
    Double below = distinct.lower(exact);
    Double above = distinct.higher(exact);
    assertThat(shown)
        .as("%s q=%s exact=%s", series, q, exact)
        .isBetween(below == null ? exact : below, above == null ? exact : above);
  }

  /** The ids that the mapping's configuration and model get. */
  private static String seriesOf(String[] field) throws IOException {
    var mapper = new com.fasterxml.jackson.databind.ObjectMapper();
    int images = (int) Double.parseDouble(field[8].isEmpty() ? "0" : field[8]);
    String bucket = images <= 1 ? "1" : images < 4 ? "2-3" : images < 8 ? "4-7" : "8+";
    boolean lora = !field[11].isEmpty() && Integer.parseInt(field[11]) > 0;
    var config = mapper.createObjectNode();
    config.putObject("runtime").put("name", "stable-diffusion");
    config.putObject("extra").put("lora", lora).put("images", bucket);
    var model = mapper.createObjectNode().put("name", field[10]);
    return ConfigFingerprint.ofModel(model).id() + " " + ConfigFingerprint.ofConfig(config).id();
  }

  private static final class Windows implements ReplayCore.Listener {
    final List<WindowSummary> all = new ArrayList<>();
    final ReadSummary summary;

    Windows(ReadSummary summary) {
      this.summary = summary;
    }

    @Override
    public void window(WindowSummary window) {
      all.add(window);
    }

    @Override
    public void correction(Correction correction) {
      throw new AssertionError("nothing is late in a sorted file: " + correction);
    }

    @Override
    public void finding(Finding finding, long micros) {}

    @Override
    public void rejected(Reading.Rejected why, String origin, byte[] payload) {
      throw new AssertionError(why.detail());
    }

    List<String> sorted() {
      return all.stream()
          .map(window -> HexFormat.of().formatHex(EventCodec.encode(window)))
          .sorted()
          .toList();
    }

    /** Whole range of a metric by "model config". */
    Map<String, WindowSummary> ranges(String metric) {
      RangeAggregator ranges = new RangeAggregator(SETTINGS.windows().get(0));
      all.forEach(ranges::add);
      Map<String, WindowSummary> found = new TreeMap<>();
      for (WindowSummary range : ranges.ranges()) {
        if (range.getMetric().equals(metric) && !range.getConfigId().equals("*")) {
          found.put(range.getModelId() + " " + range.getConfigId(), range);
        }
      }
      return found;
    }
  }
}
