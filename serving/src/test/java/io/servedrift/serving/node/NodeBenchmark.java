package io.servedrift.serving.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.serving.engine.EngineSettings;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.scheduler.RefusedException;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What publishing costs a node that makes real images, in one process, in blocks that take turns in
 * random order, so that what disturbs the one disturbs the other; the broker has a process of its
 * own. Runs only when it is named; asserts that what it measures took place, and nothing about
 * time. {@code -Dblocks=30 -Dimages=24 -Dsteps=16} are its sizes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeBenchmark {

  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final int BLOCKS = Integer.getInteger("blocks", 30);
  private static final int IMAGES = Integer.getInteger("images", 24);
  private static final int STEPS = Integer.getInteger("steps", 16);
  private static final int CONCURRENCY = 8;
  private static final int WARM_UP = 3;

  /** Images of one step before: a node publishes for days, by code that has long been compiled. */
  private static final int WARM_EVENTS = 2_000;

  private static final Duration DELIVERY = Duration.ofSeconds(2);

  /** Names of the threads that encode events and send them, begin so. */
  private static final List<String> PUBLISHING =
      List.of("servedrift-publisher", "kafka-producer-network-thread");

  /** So that a buffer that is full stays full. */
  private static final Duration FOR_EVER = Duration.ofHours(1);

  /** Beyond what a publisher needs to be itself again: its delivery time and a new connection. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private final ImageLoad load = new ImageLoad(CONCURRENCY, STEPS);
  private final Random order = new Random(1);
  private TorchEngine engine;

  @BeforeAll
  void load() throws Exception {
    engine = TorchEngine.load(EngineSettings.defaults(Path.of("models/scenes")), Faults.none());
  }

  @AfterAll
  void close() {
    engine.close();
  }

  /** Hands events to whom it is told. */
  private static final class Switch implements EventSink {
    private volatile EventPublisher to;

    /** Whether events are thrown away instead. */
    private volatile boolean away;

    Switch(EventPublisher to) {
      this.to = to;
    }

    @Override
    public boolean offer(SpecificRecord event) {
      return away || to.offer(event);
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      return to.publish(event);
    }
  }

  private ServingNode node(Switch sink) {
    return ServingNode.start(
        new NodeSettings(
            "benchmark", "image-gen", "n1", Duration.ofSeconds(10), Duration.ofSeconds(10)),
        engine.parts(),
        SchedulerLimits.continuous(),
        Faults.none(),
        new ServingNode.Outlets(
            sink, () -> sink.to.metrics(), PromptHashKey.ofThisProcess(), FinishedImages.NONE));
  }

  private static CompletableFuture<?> make(ServingNode node, ImageRequest request) {
    try {
      return node.images().submit(new ImageCall(List.of(request), null, false)).result();
    } catch (RefusedException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Test
  void printsWhatPublishingCostsTheNode() throws Exception {
    try (BrokerProcess broker = BrokerProcess.start();
        EventPublisher publisher =
            new EventPublisher(PublisherSettings.defaults(broker.bootstrapServers()), TOPICS)) {
      Switch sink = new Switch(publisher);
      try (ServingNode node = node(sink)) {
        new ImageLoad(CONCURRENCY, 1)
            .run(WARM_EVENTS, request -> make(node, request), () -> settle(publisher));
        PairedRatio throughput = new PairedRatio();
        PairedRatio cpu = new PairedRatio();
        double publishing = 0;
        double process = 0;
        for (int i = -WARM_UP; i < BLOCKS; i++) {
          boolean onFirst = order.nextBoolean();
          ImageLoad.Block[] pair = new ImageLoad.Block[2];
          for (boolean on : new boolean[] {onFirst, !onFirst}) {
            if (on) {
              double before = publishingSeconds();
              pair[1] = load.run(IMAGES, request -> make(node, request), () -> settle(publisher));
              publishing += i < 0 ? 0 : publishingSeconds() - before;
            } else {
              sink.away = true;
              pair[0] = load.run(IMAGES, request -> make(node, request));
              sink.away = false;
            }
          }
          // The first pairs warm up.
          if (i >= 0) {
            throughput.add(pair[1].imagesPerSecond(), pair[0].imagesPerSecond());
            cpu.add(pair[1].cpuSeconds(), pair[0].cpuSeconds());
            process += pair[1].cpuSeconds();
          }
        }
        PublisherMetrics books = publisher.metrics();
        print(
            "%d pairs of blocks of %d images of %d steps, batches of up to 8",
            BLOCKS, IMAGES, STEPS);
        print("images/s, published to recorded and thrown away: %s", throughput);
        print("processor time of the process, the same:         %s", cpu);
        print(
            "processor time of the threads that encode and send: %.3f %% of it, %.0f us an image",
            100 * publishing / process, 1e6 * publishing / (BLOCKS * IMAGES));
        print("events published %d, dropped %d", books.published(), books.dropped());
        assertThat(books.published())
            .isGreaterThanOrEqualTo(WARM_EVENTS + (long) (BLOCKS + WARM_UP) * IMAGES);
        assertThat(books.dropped()).isZero();
        assertTheirTimeIsKnown();
      }
    }
  }

  /** Else what they cost would be printed as nothing. */
  private static void assertTheirTimeIsKnown() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    assertThat(threads.isThreadCpuTimeEnabled()).isTrue();
    List<String> names =
        Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter(Objects::nonNull)
            .map(ThreadInfo::getThreadName)
            .toList();
    assertThat(PUBLISHING)
        .allSatisfy(begin -> assertThat(names).anyMatch(name -> name.startsWith(begin)));
  }

  /** Processor time of the threads that only encode and send, since they began. */
  private static double publishingSeconds() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter(Objects::nonNull)
            .filter(thread -> PUBLISHING.stream().anyMatch(thread.getThreadName()::startsWith))
            .mapToLong(thread -> threads.getThreadCpuTime(thread.getThreadId()))
            .sum()
        / 1e9;
  }

  /** What Kafka is like during a block. UP comes twice: their difference is the noise. */
  private enum Kafka {
    UP,
    UP_AGAIN,
    DOWN,
    SLOW,
    FULL
  }

  private static final class Row {
    private final List<double[]> latencies = new ArrayList<>();
    private final PairedRatio median = new PairedRatio();
    private final PooledQuantileRatio p99 = new PooledQuantileRatio(0.99);
    private final PairedRatio throughput = new PairedRatio();
    private long published;
    private long dropped;
    private double recovery;
    private int lostAfterUp;
  }

  @Test
  void printsWhatKafkaDoesToTheLatency() throws Exception {
    try (BrokerProcess broker = BrokerProcess.start();
        BrokerProxy proxy = BrokerProxy.before(broker.bootstrapServers());
        BrokerProxy silent = BrokerProxy.before(broker.bootstrapServers());
        EventPublisher publisher = new EventPublisher(settings(proxy, 32 << 20, DELIVERY), TOPICS);
        EventPublisher full = new EventPublisher(settings(silent, 64 << 10, FOR_EVER), TOPICS)) {
      silent.set(BrokerProxy.State.SILENT);
      Switch sink = new Switch(publisher);
      Map<Kafka, Row> rows = new EnumMap<>(Kafka.class);
      Arrays.stream(Kafka.values()).forEach(kafka -> rows.put(kafka, new Row()));
      try (ServingNode node = node(sink)) {
        load.run(WARM_UP * IMAGES, request -> make(node, request), () -> settle(publisher));
        for (int i = 0; i < BLOCKS; i++) {
          List<Kafka> turns = new ArrayList<>(List.of(Kafka.values()));
          Collections.shuffle(turns, order);
          Map<Kafka, ImageLoad.Block> round = new EnumMap<>(Kafka.class);
          for (Kafka kafka : turns) {
            EventPublisher used = kafka == Kafka.FULL ? full : publisher;
            fill(full, kafka);
            sink.to = used;
            proxy.set(state(kafka));
            PublisherMetrics before = used.metrics();
            round.put(kafka, load.run(IMAGES, request -> make(node, request)));
            Row row = rows.get(kafka);
            if (kafka != Kafka.FULL) {
              settle(publisher);
            }
            PublisherMetrics after = used.metrics();
            row.published += after.published() - before.published();
            row.dropped += after.dropped() - before.dropped();
            proxy.set(BrokerProxy.State.UP);
            if (kafka != Kafka.FULL) {
              recover(publisher, row);
            }
          }
          round.forEach((kafka, block) -> add(rows.get(kafka), block, round.get(Kafka.UP)));
        }
        sink.to = publisher;
      }
      print(
          "%d rounds, in each a block of %d images of %d steps for each state of Kafka",
          BLOCKS, IMAGES, STEPS);
      rows.forEach(NodeBenchmark::print);
      print(
          "buffer of the full one: %d events found no room",
          full.metrics().dropped(DropReason.BUFFER_FULL));
      assertThatEachStateTookPlace(rows);
    }
  }

  private static PublisherSettings settings(BrokerProxy proxy, int bufferBytes, Duration delivery) {
    PublisherSettings defaults = PublisherSettings.defaults(proxy.bootstrapServers());
    return new PublisherSettings(
        bufferBytes,
        Math.min(bufferBytes, defaults.maxRecordBytes()),
        delivery,
        Duration.ofSeconds(1),
        Map.of("bootstrap.servers", proxy.bootstrapServers(), "reconnect.backoff.max.ms", "200"));
  }

  private static BrokerProxy.State state(Kafka kafka) {
    return switch (kafka) {
      case UP, UP_AGAIN, FULL -> BrokerProxy.State.UP;
      case DOWN -> BrokerProxy.State.DOWN;
      case SLOW -> BrokerProxy.State.SLOW;
    };
  }

  private static void assertThatEachStateTookPlace(Map<Kafka, Row> rows) {
    long images = (long) BLOCKS * IMAGES;
    rows.forEach(
        (kafka, row) -> {
          assertThat((long) row.latencies.stream().mapToInt(block -> block.length).sum())
              .as(kafka.name())
              .isEqualTo(images);
          switch (kafka) {
            case UP, UP_AGAIN -> {
              assertThat(row.published).as(kafka.name()).isGreaterThanOrEqualTo(images);
              assertThat(row.dropped).as(kafka.name()).isZero();
            }
            case DOWN -> assertThat(row.dropped).as("DOWN").isGreaterThanOrEqualTo(images);
            case SLOW ->
                assertThat(row.published + row.dropped).as("SLOW").isGreaterThanOrEqualTo(images);
            case FULL -> {
              assertThat(row.published).as("FULL").isZero();
              assertThat(row.dropped).as("FULL").isPositive();
            }
          }
        });
  }

  /** Nothing leaves this publisher but an event every two seconds that finds no leader. */
  private static void fill(EventPublisher full, Kafka kafka) {
    boolean room = kafka == Kafka.FULL;
    while (room) {
      room = full.offer(heartbeat());
    }
  }

  private static Heartbeat heartbeat() {
    return Heartbeat.newBuilder()
        .setAt(Instant.now())
        .setDeployment("image-gen")
        .setNode("n1")
        .setConfigId("c")
        .setModelId("m")
        .build();
  }

  /** Waits until every event was delivered or dropped. */
  private static void settle(EventPublisher publisher) throws InterruptedException {
    long begun = System.nanoTime();
    while (publisher.metrics().inFlight() > 0) {
      Thread.sleep(20);
      if (System.nanoTime() - begun > LONGEST_WAIT.toNanos()) {
        throw new IllegalStateException("events are on their way for " + LONGEST_WAIT);
      }
    }
  }

  /**
   * Waits until an event is delivered that was published after Kafka was up: nobody told the
   * publisher that it is. Events that are lost until then are counted; without one that arrives the
   * benchmark fails.
   */
  private static void recover(EventPublisher publisher, Row row) throws InterruptedException {
    long begun = System.nanoTime();
    boolean delivered = false;
    while (!delivered) {
      try {
        publisher.publish(heartbeat()).get(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS);
        delivered = true;
      } catch (ExecutionException lost) {
        row.lostAfterUp++;
      } catch (TimeoutException e) {
        throw new IllegalStateException("an event is on its way for " + LONGEST_WAIT, e);
      }
      if (!delivered && System.nanoTime() - begun > LONGEST_WAIT.toNanos()) {
        throw new IllegalStateException(
            "no event was delivered in " + LONGEST_WAIT + " after Kafka was up");
      }
    }
    row.recovery = Math.max(row.recovery, (System.nanoTime() - begun) / 1e9);
  }

  private static void add(Row row, ImageLoad.Block block, ImageLoad.Block up) {
    row.latencies.add(block.latencies());
    row.median.add(block.quantile(0.5), up.quantile(0.5));
    row.p99.add(block.latencies(), up.latencies());
    row.throughput.add(block.imagesPerSecond(), up.imagesPerSecond());
  }

  private static void print(Kafka kafka, Row row) {
    double[] all = row.latencies.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
    print(
        "%-8s n=%d p50 %.1f ms p99 %.1f ms; published %d dropped %d",
        kafka.name().toLowerCase(Locale.ROOT),
        all.length,
        1e3 * PooledQuantileRatio.quantile(all, 0.5),
        1e3 * PooledQuantileRatio.quantile(all, 0.99),
        row.published,
        row.dropped);
    if (kafka == Kafka.DOWN || kafka == Kafka.SLOW) {
      print(
          "  up again: an event was delivered after %.1f s at most, %d were lost before",
          row.recovery, row.lostAfterUp);
    }
    if (kafka != Kafka.UP) {
      print("  of up: p50 %s", row.median);
      print("   pooled p99 %s", row.p99);
      print("    images/s %s", row.throughput);
    }
  }

  private static void print(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }
}
