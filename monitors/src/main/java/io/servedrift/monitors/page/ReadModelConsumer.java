package io.servedrift.monitors.page;

import io.servedrift.monitors.alert.DataWatch;
import io.servedrift.monitors.ops.CheckResult;
import io.servedrift.monitors.ops.HealthCheck;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.MalformedEventException;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a {@link ReadModel} from Kafka: every partition of the output topics from its beginning,
 * committed records only, on a thread of its own, without a consumer group. Ready when it has
 * reached what was the end at the start. A record that cannot be taken is counted and passed over;
 * after an error of the broker it goes on where it was. Not ready any more once its thread has
 * ended, for whatever reason.
 */
public final class ReadModelConsumer implements HealthCheck, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReadModelConsumer.class);
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration ASK = Duration.ofSeconds(10);
  private static final long RETRY_MILLIS = 1000;

  private final Supplier<Consumer<byte[], byte[]>> connect;
  private final List<String> topics;
  private final Set<String> inputs;
  private final String windows;
  private final DataWatch watch;
  private final ReadModel model;
  private final EventReader reader;
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private boolean complained;
  private boolean failing;
  private volatile CheckResult state = CheckResult.notReady("starting");

  /**
   * Starts reading.
   *
   * @param kafka client properties, with {@code bootstrap.servers}
   * @param topics names of the topics
   * @param model what to feed
   * @param reader reads configurations and serving events, which others may write in any format:
   *     with the registry, limits and rules of the rest of the monitor
   * @param watch told what the windows topic says of data and its absence
   */
  public static ReadModelConsumer start(
      Map<String, Object> kafka,
      Topics topics,
      ReadModel model,
      EventReader reader,
      DataWatch watch) {
    Map<String, Object> settings = new HashMap<>(kafka);
    // Of the topology's consumers; this one is in no group.
    settings.remove(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "servedrift-read-model");
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    // Positions that retention has overtaken: go on with the oldest record there is.
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return start(
        () ->
            new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer()),
        topics,
        model,
        reader,
        watch);
  }

  static ReadModelConsumer start(
      Supplier<Consumer<byte[], byte[]>> connect,
      Topics topics,
      ReadModel model,
      EventReader reader,
      DataWatch watch) {
    ReadModelConsumer consumer = new ReadModelConsumer(connect, topics, model, reader, watch);
    consumer.thread.start();
    return consumer;
  }

  private ReadModelConsumer(
      Supplier<Consumer<byte[], byte[]>> connect,
      Topics topics,
      ReadModel model,
      EventReader reader,
      DataWatch watch) {
    this.connect = connect;
    this.topics =
        List.of(
            topics.configs(),
            topics.windows(),
            topics.findings(),
            topics.servingEvents(),
            topics.deadLetters());
    this.inputs = Set.of(topics.configs(), topics.servingEvents());
    this.model = model;
    this.watch = watch;
    this.windows = topics.windows();
    this.reader = reader;
    this.thread = new Thread(this::run, "servedrift-read-model");
    this.thread.setDaemon(true);
    this.thread.setUncaughtExceptionHandler(
        (ended, error) -> LOG.error("read model: its thread has ended, it takes no more", error));
  }

  @Override
  public String name() {
    return "read_model";
  }

  @Override
  public CheckResult check() {
    return state;
  }

  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(ASK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean closed() {
    return closing.getCount() == 0;
  }

  private void run() {
    try {
      readUntilClosed();
    } finally {
      state = CheckResult.notReady("its thread has ended");
    }
  }

  private void readUntilClosed() {
    while (!closed()) {
      try (Consumer<byte[], byte[]> consumer = connect.get()) {
        read(consumer);
      } catch (WakeupException e) {
        return;
      } catch (RuntimeException e) {
        failed(e);
        state = CheckResult.notReady("reading failed: " + e.getClass().getSimpleName());
        pause();
      }
    }
  }

  /** Said once until reading works again; a broker that is away for hours must not fill the log. */
  private void failed(RuntimeException why) {
    if (!failing) {
      failing = true;
      LOG.warn(
          "read model: reading the output topics failed, trying again each second; look whether the"
              + " broker is up (/-/ready, component broker)",
          why);
    }
  }

  private void pause() {
    try {
      boolean ignored = closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      closing.countDown();
    }
  }

  private void read(Consumer<byte[], byte[]> consumer) {
    List<TopicPartition> partitions = partitions(consumer);
    if (partitions.isEmpty()) {
      return;
    }
    watch.partitions(
        Math.toIntExact(partitions.stream().filter(p -> p.topic().equals(windows)).count()));
    consumer.assign(partitions);
    for (TopicPartition partition : partitions) {
      Long position = positions.get(partition);
      if (position == null) {
        consumer.seekToBeginning(List.of(partition));
      } else {
        consumer.seek(partition, position);
      }
    }
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, ASK);
    if (failing) {
      failing = false;
      LOG.info("read model: reading again");
    }
    boolean caughtUp = false;
    while (!closed()) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        apply(record);
        positions.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
      }
      if (!caughtUp) {
        // Ends include transaction markers, which are no records: compare with the consumer's own
        // position.
        long left =
            ends.entrySet().stream()
                .mapToLong(e -> Math.max(0, e.getValue() - consumer.position(e.getKey())))
                .sum();
        caughtUp = left == 0;
        state =
            caughtUp
                ? CheckResult.ready("up to date")
                : CheckResult.notReady(left + " records to read");
      }
    }
  }

  private List<TopicPartition> partitions(Consumer<byte[], byte[]> consumer) {
    while (!closed()) {
      List<TopicPartition> found = new ArrayList<>();
      List<String> missing = new ArrayList<>();
      for (String topic : topics) {
        List<PartitionInfo> infos = consumer.partitionsFor(topic, ASK);
        if (infos == null || infos.isEmpty()) {
          missing.add(topic);
        } else {
          infos.forEach(info -> found.add(new TopicPartition(info.topic(), info.partition())));
        }
      }
      if (missing.isEmpty()) {
        return found;
      }
      state = CheckResult.notReady("topics missing: " + String.join(", ", missing));
      pause();
    }
    return List.of();
  }

  private void apply(ConsumerRecord<byte[], byte[]> source) {
    byte @Nullable [] value = source.value();
    if (value == null) {
      return;
    }
    try {
      SpecificRecord record = decode(source.topic(), value);
      if (record == null) {
        model.undecodable();
      } else {
        model.apply(record);
        if (source.topic().equals(windows)) {
          tell(source.partition(), record);
        }
      }
    } catch (RuntimeException e) {
      model.failed();
      // One stack trace tells what is wrong; a topic full of such records must not fill the log.
      if (!complained) {
        complained = true;
        LOG.warn(
            "read model: a record of {}-{} at offset {} cannot be taken and is passed over;"
                + " further ones are only counted",
            source.topic(),
            source.partition(),
            source.offset(),
            e);
      }
    }
  }

  private void tell(int partition, SpecificRecord record) {
    if (record instanceof WindowSummary window) {
      SeriesKey key =
          new SeriesKey(
              window.getDeployment(),
              window.getModelId(),
              window.getConfigId(),
              window.getMetric());
      watch.window(key, window.getStart(), window.getEnd(), window.getN());
    } else if (record instanceof Heartbeat heartbeat) {
      watch.heartbeat(heartbeat.getDeployment(), heartbeat.getAt());
    } else if (record instanceof Tick tick) {
      watch.closedThrough(partition, tick.getAt());
    }
  }

  private @Nullable SpecificRecord decode(String topic, byte[] value) {
    if (inputs.contains(topic)) {
      return reader.read(value) instanceof Reading.Accepted accepted ? accepted.event() : null;
    }
    try {
      return EventCodec.decode(value);
    } catch (MalformedEventException e) {
      return null;
    }
  }
}
