package io.servedrift.monitors.topology;

import static io.servedrift.monitors.pane.TestEvents.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.ops.LatencyPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.TestEvents;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TopologyTest {
  private final Topics topics = new Topics("test");
  private final Tally tally = new Tally();
  private final List<LatencyPane> latencies = new ArrayList<>();
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> requests;
  private TestInputTopic<byte[], byte[]> scores;
  private TestInputTopic<byte[], byte[]> servingEvents;
  private TestInputTopic<byte[], byte[]> evals;

  private Topology topology() {
    return MonitorStreams.topology(
        new StageParts(
            topics,
            PaneSettings.defaults(),
            new MetricLayouts(),
            JudgedRun.BY_DEFAULT,
            new EventReader(),
            1,
            false,
            tally,
            new PartitionClocks(),
            latencies::add));
  }

  @BeforeEach
  void start() {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:0");
    properties.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
    driver = new TopologyTestDriver(topology(), properties);
    requests = input(topics.requests());
    scores = input(topics.scores());
    servingEvents = input(topics.servingEvents());
    evals = input(topics.evals());
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  private TestInputTopic<byte[], byte[]> input(String topic) {
    return driver.createInputTopic(topic, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private List<SpecificRecord> output(String topic) {
    return driver
        .createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
        .readValuesToList()
        .stream()
        .map(EventCodec::decode)
        .toList();
  }

  private static void send(
      TestInputTopic<byte[], byte[]> topic, String key, SpecificRecord event, Instant at) {
    topic.pipeInput(key.getBytes(StandardCharsets.UTF_8), EventCodec.encode(event), at);
  }

  /** A record that only moves time, on both topics. */
  private void advanceEventTime(Duration sinceStart) {
    Instant at = START.plus(sinceStart);
    send(requests, "", TestEvents.tick(at), at);
    send(scores, "", TestEvents.tick(at), at);
  }

  @Test
  void describesItselfAsCheckedIn() throws IOException {
    try (InputStream expected = TopologyTest.class.getResourceAsStream("/topology/monitor.txt")) {
      assertThat(topology().describe().toString())
          .isEqualTo(new String(expected.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void copiesEvaluationsOfADeploymentToItsServingEvents() {
    EvalResult eval = new EvalResult();
    eval.setEvalId("e-1");
    eval.setAt(START);
    eval.setName("suite");
    eval.setMetric("clip");
    eval.setValue(.33);
    send(evals, "e-1", eval, START);
    eval.setDeployment("image-gen");
    send(evals, "image-gen", eval, START);
    Instant later = START.plusSeconds(60);
    send(servingEvents, "", TestEvents.tick(later), later);

    assertThat(output(topics.servingEvents())).contains(eval).hasSize(1);
    assertThat(tally.get("evals")).isEqualTo(1);
    assertThat(output(topics.deadLetters())).isEmpty();
  }

  @Test
  void putsAsideWhatIsNoEvaluation() {
    evals.pipeInput("x".getBytes(StandardCharsets.UTF_8), new byte[] {1, 2, 3}, START);
    assertThat(output(topics.servingEvents())).isEmpty();
    assertThat(output(topics.deadLetters())).hasSize(1);
  }

  @Test
  void writesWindow_whenItsLastPaneClosed() {
    advanceEventTime(Duration.ZERO);
    for (int i = 0; i < 400; i++) {
      Instant at = START.plusMillis(i * 500L);
      send(requests, "r" + i, TestEvents.request("r" + i, at, 1 + i / 100.0), at);
      advanceEventTime(Duration.ofMillis(i * 500L));
    }
    advanceEventTime(Duration.ofSeconds(309));
    assertThat(output(topics.windows())).isNotEmpty().allMatch(Tick.class::isInstance);
    advanceEventTime(Duration.ofSeconds(310));
    List<WindowSummary> windows =
        output(topics.windows()).stream().map(WindowSummary.class::cast).toList();
    assertThat(windows).hasSize(4);
    assertThat(windows)
        .filteredOn(
            window -> window.getMetric().equals("latency") && window.getConfigId().equals("c1"))
        .singleElement()
        .satisfies(
            window -> {
              assertThat(window.getN()).isEqualTo(400);
              assertThat(window.getStart()).isEqualTo(START);
              assertThat(window.getEnd()).isEqualTo(START.plus(Duration.ofMinutes(5)));
              assertThat(window.getP50()).isEqualTo(1 + 199 / 100.0);
              assertThat(window.getP99()).isEqualTo(1 + 395 / 100.0);
            });
  }

  @Test
  void tellsTheLatenciesOfEveryPaneOnce_withExamples() {
    advanceEventTime(Duration.ZERO);
    for (int i = 0; i < 1200; i++) {
      Instant at = START.plusMillis(i * 50L);
      send(requests, "r" + i, TestEvents.request("r" + i, at, 1 + i / 1200.0), at);
    }
    send(requests, "r0", TestEvents.request("r0", START, 1), START);
    advanceEventTime(Duration.ofSeconds(60));
    send(requests, "next", TestEvents.request("next", START.plusSeconds(61), 7.5), START);
    assertThat(latencies).isEmpty();
    advanceEventTime(Duration.ofSeconds(200));

    assertThat(latencies).hasSize(2);
    LatencyPane many = latencies.get(0);
    assertThat(many.configId()).isEqualTo("c1");
    assertThat(many.end()).isEqualTo(START.plusSeconds(60));
    assertThat(many.values().stream().mapToLong(LatencyPane.Counted::count).sum()).isEqualTo(1200);
    assertThat(many.sumSeconds()).isCloseTo(1799.5, within(1e-3));
    assertThat(many.values())
        .as("bins of 1 %: what stands for a bin is inside it")
        .allSatisfy(value -> assertThat(value.seconds()).isBetween(.99, 2.02));
    assertThat(many.examples())
        .isNotEmpty()
        .allSatisfy(
            one ->
                assertThat(one.seconds())
                    .isEqualTo(1 + Integer.parseInt(one.requestId().substring(1)) / 1200.0));
    LatencyPane few = latencies.get(1);
    assertThat(few.values()).containsExactly(new LatencyPane.Counted(7.5, 1));
  }

  @Test
  void saysThroughWhenWindowsAreClosed_alsoWithoutData() {
    advanceEventTime(Duration.ZERO);
    advanceEventTime(Duration.ofSeconds(429)); // grace and score grace are 130 s
    assertThat(output(topics.windows()))
        .containsExactly(new Tick(START.minus(Duration.ofMinutes(5))), new Tick(START));
    advanceEventTime(Duration.ofSeconds(430));
    advanceEventTime(Duration.ofSeconds(500));
    assertThat(output(topics.windows()))
        .containsExactly(new Tick(START.plus(Duration.ofMinutes(5))));
  }

  @Test
  void passesOnOneHeartbeatAMinute_unlessItsClockIsFast() {
    advanceEventTime(Duration.ZERO);
    List<Heartbeat> sent = new ArrayList<>();
    for (long seconds : List.of(1L, 20L, 59L, 60L, 75L, 600L)) {
      Instant at = START.plusSeconds(seconds);
      Heartbeat heartbeat = new Heartbeat(at, "image-gen", "gpu-0", null, null);
      sent.add(heartbeat);
      send(requests, "gpu-0", heartbeat, at);
    }

    assertThat(output(topics.windows()).stream().filter(Heartbeat.class::isInstance))
        .containsExactly(sent.get(0), sent.get(3));
    assertThat(tally.get("heartbeats")).isEqualTo(6);
  }

  @Test
  void keepsTheRestOfTheFeed_whenSomeOfItIsBroken() {
    advanceEventTime(Duration.ZERO);
    requests.pipeInput(bytes("k"), bytes("{not json"), START);
    requests.pipeInput(bytes("k"), new byte[] {1, 2, 3}, START);
    requests.pipeInput(bytes("k"), bytes("{\"type\":\"request\",\"request_id\":\"x\"}"), START);
    send(requests, "r", TestEvents.request("r", START.plusSeconds(1), 2.0), START.plusSeconds(1));
    servingEvents.pipeInput(bytes("k"), bytes("{\"type\":\"nonsense\"}"), START);
    advanceEventTime(Duration.ofSeconds(310));
    List<DeadLetter> letters =
        output(topics.deadLetters()).stream().map(DeadLetter.class::cast).toList();
    assertThat(letters)
        .extracting(DeadLetter::getReason)
        .containsExactly("bad_json", "unknown_format", "missing_field", "unknown_type");
    assertThat(letters).extracting(DeadLetter::getOrigin).contains(topics.requests() + "-0@2");
    assertThat(tally.get("requests_accepted")).isEqualTo(1);
    assertThat(output(topics.windows())).isNotEmpty();
  }

  @Test
  void acceptsJson_registersInlineConfigurationAndPassesCorrections() {
    advanceEventTime(Duration.ZERO);
    RequestEvent event = TestEvents.request("r", START.plusSeconds(1), 2.0);
    var json = EventJson.toJson(event);
    json.remove("config_id");
    json.putObject("config").putObject("runtime").put("name", "sglang").put("version", "0.5.7");
    requests.pipeInput(bytes("r"), bytes(json.toString()), START);
    advanceEventTime(Duration.ofSeconds(200));
    send(requests, "late", TestEvents.request("late", START.plusSeconds(2), 2.0), START);
    advanceEventTime(Duration.ofSeconds(310));
    List<SpecificRecord> configs = output(topics.configs());
    assertThat(configs).singleElement().isInstanceOf(ConfigRecord.class);
    String id = ((ConfigRecord) configs.get(0)).getConfigId();
    List<SpecificRecord> windows = output(topics.windows());
    assertThat(windows)
        .filteredOn(WindowSummary.class::isInstance)
        .extracting(window -> ((WindowSummary) window).getConfigId())
        .contains(id, "*");
    assertThat(windows).filteredOn(Correction.class::isInstance).hasSize(1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
