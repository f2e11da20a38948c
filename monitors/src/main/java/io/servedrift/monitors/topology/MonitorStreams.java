package io.servedrift.monitors.topology;

import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.ops.LatencyPane;
import io.servedrift.monitors.ops.StreamsMetrics.Partition;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One instance of the live monitor: both stages in one Kafka Streams application with exactly-once
 * processing, and the writer of ticks for the partitions that this instance owns. Any number of
 * instances with the same application id share the partitions. Thread-safe.
 */
public final class MonitorStreams implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MonitorStreams.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
  private static final int LARGEST_RECORD = 4 * 1024 * 1024;

  private final KafkaStreams streams;
  private final @Nullable TickWriter ticks;
  private final PartitionClocks clocks = new PartitionClocks();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * What an instance needs to know.
   *
   * @param kafka settings for every Kafka client, {@code bootstrap.servers} among them
   * @param applicationId consumer group and prefix of internal topics
   * @param stateDir where Kafka Streams keeps its lock files; state itself lives in memory and
   *     changelogs
   * @param tick how often to write ticks; zero writes none, for topics that bring their own
   *     (imported history)
   * @param commitInterval how often results become visible
   * @param threads stream threads
   * @param rawDeadLetters whether what cannot be parsed is kept as it came
   */
  public record Options(
      Map<String, Object> kafka,
      String applicationId,
      String stateDir,
      Duration tick,
      Duration commitInterval,
      int threads,
      boolean rawDeadLetters) {
    public Options {
      kafka = Map.copyOf(kafka);
    }
  }

  /**
   * Prepares an instance that tells nobody of latencies.
   *
   * @throws IllegalStateException as the other constructor
   * @throws TimeoutException when the broker does not answer within 30 s
   */
  public MonitorStreams(
      Options options,
      Topics topics,
      PaneSettings settings,
      MetricLayouts layouts,
      StepTaker.Maker judges,
      EventReader reader,
      Tally tally,
      Clock clock)
      throws InterruptedException, TimeoutException {
    this(options, topics, settings, layouts, judges, reader, tally, clock, pane -> {});
  }

  /**
   * Prepares an instance. The topics must exist.
   *
   * @param latencies told of the latencies of every pane that closes here, by several threads
   * @throws IllegalStateException when topics are missing or their partition counts do not fit
   *     together
   * @throws TimeoutException when the broker does not answer within 30 s
   */
  public MonitorStreams(
      Options options,
      Topics topics,
      PaneSettings settings,
      MetricLayouts layouts,
      StepTaker.Maker judges,
      EventReader reader,
      Tally tally,
      Clock clock,
      Consumer<LatencyPane> latencies)
      throws InterruptedException, TimeoutException {
    int partitions = checkedPartitions(options.kafka(), topics);
    StageParts parts =
        new StageParts(
            topics,
            settings,
            layouts,
            judges,
            reader,
            partitions,
            options.rawDeadLetters(),
            tally,
            clocks,
            latencies);
    this.streams = new KafkaStreams(topology(parts), properties(options));
    streams.setGlobalStateRestoreListener(new RestoreCounts(tally));
    streams.setUncaughtExceptionHandler(
        error -> {
          failure.compareAndSet(null, error);
          LOG.error("the monitor stops: {}", error.getMessage(), error);
          return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    this.ticks =
        options.tick().isZero()
            ? null
            : new TickWriter(
                options.kafka(),
                List.of(topics.requests(), topics.scores(), topics.servingEvents()),
                this::ownedPartitions,
                options.tick(),
                clock);
  }

  /** Both stages, and the copying of evaluations, as one topology. */
  static Topology topology(StageParts parts) {
    Topology topology = new Topology();
    new PaneTopology(parts).addTo(topology);
    new JudgeTopology(parts).addTo(topology);
    new EvalTopology(parts).addTo(topology);
    return topology;
  }

  /** Starts reading. Returns at once; ask {@link #isReady()}. */
  public void start() {
    streams.start();
    if (ticks != null) {
      ticks.start();
    }
  }

  /** Whether this instance reads: its state is restored and the group is stable. */
  public boolean isReady() {
    return streams.state() == KafkaStreams.State.RUNNING;
  }

  /** How far event time has come in the partitions of this instance. */
  public PartitionClocks clocks() {
    return clocks;
  }

  /** Every state that the Kafka Streams client may be in. */
  public static List<String> states() {
    return Arrays.stream(KafkaStreams.State.values()).map(Enum::name).toList();
  }

  /** The one of {@link #states} that it is in. */
  public String stateName() {
    return streams.state().name();
  }

  /** Records that this instance has still to read, by partition, as its consumers know it. */
  public Map<Partition, Long> recordsLag() {
    Map<Partition, Long> lags = new HashMap<>();
    streams
        .metrics()
        .forEach(
            (name, metric) -> {
              String client = name.tags().getOrDefault("client-id", "");
              if (name.name().equals("records-lag")
                  && client.endsWith("-consumer")
                  && !client.endsWith("-restore-consumer")
                  && metric.metricValue() instanceof Double lag
                  && Double.isFinite(lag)) {
                lags.merge(
                    new Partition(
                        name.tags().getOrDefault("topic", ""),
                        Integer.parseInt(name.tags().getOrDefault("partition", "-1"))),
                    Math.round(lag),
                    Math::max);
              }
            });
    return lags;
  }

  /** State of the Kafka Streams client, for people. */
  public String state() {
    Throwable failed = failure.get();
    return streams.state() + (failed == null ? "" : ": " + failed.getMessage());
  }

  /** What stopped this instance, null while nothing did. */
  public @Nullable Throwable failure() {
    return failure.get();
  }

  private List<TopicPartition> ownedPartitions() {
    return streams.metadataForLocalThreads().stream()
        .map(ThreadMetadata::activeTasks)
        .flatMap(java.util.Set::stream)
        .flatMap(task -> task.topicPartitions().stream())
        .toList();
  }

  private static Properties properties(Options options) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, options.applicationId());
    properties.put(StreamsConfig.STATE_DIR_CONFIG, options.stateDir());
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, options.commitInterval().toMillis());
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, options.threads());
    properties.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
    properties.put(
        StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), LARGEST_RECORD);
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "lz4");
    // With more in flight, batches that overtake the first one to a partition of a new changelog
    // topic are
    // refused (sequence out of order) and the transaction starts again.
    properties.put(
        StreamsConfig.producerPrefix(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION), 1);
    properties.put(StreamsConfig.topicPrefix("max.message.bytes"), LARGEST_RECORD);
    properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.FETCH_MIN_BYTES_CONFIG), 1);
    properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 4000);
    properties.put(StreamsConfig.BUFFERED_RECORDS_PER_PARTITION_CONFIG, 4000);
    options.kafka().forEach((key, value) -> properties.put(key, value));
    return properties;
  }

  private static int checkedPartitions(Map<String, Object> kafka, Topics topics)
      throws InterruptedException, TimeoutException {
    Map<String, Object> config = new HashMap<>(kafka);
    config.putIfAbsent(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 20_000);
    try (Admin admin = Admin.create(config)) {
      Map<String, TopicDescription> found =
          admin
              .describeTopics(
                  List.of(
                      topics.requests(),
                      topics.scores(),
                      topics.servingEvents(),
                      topics.evals(),
                      topics.panes(),
                      topics.windows(),
                      topics.findings(),
                      topics.judgeState(),
                      topics.deadLetters(),
                      topics.configs()))
              .allTopicNames()
              .get(30, TimeUnit.SECONDS);
      requireEqual(found, topics.requests(), topics.scores());
      requireEqual(found, topics.panes(), topics.servingEvents());
      return partitions(found, topics.requests());
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "topics with prefix of "
              + topics.requests()
              + ": "
              + rootMessage(e)
              + "; create them with `servedrift topics --apply`",
          e);
    }
  }

  private static String rootMessage(ExecutionException e) {
    Throwable cause = e.getCause();
    return String.valueOf(cause == null ? e.getMessage() : cause.getMessage());
  }

  private static void requireEqual(Map<String, TopicDescription> found, String left, String right) {
    if (partitions(found, left) != partitions(found, right)) {
      throw new IllegalStateException(
          "partitions of "
              + left
              + " ("
              + partitions(found, left)
              + ") and "
              + right
              + " ("
              + partitions(found, right)
              + ") must be equal: records of one key are read together");
    }
  }

  private static int partitions(Map<String, TopicDescription> found, String topic) {
    TopicDescription description = found.get(topic);
    if (description == null) {
      throw new IllegalStateException("topic " + topic + " is missing");
    }
    return description.partitions().size();
  }

  /**
   * Commits, leaves the group so that the next start need not wait for its session to expire, and
   * stops.
   */
  @Override
  public void close() {
    if (ticks != null) {
      ticks.close();
    }
    streams.close(
        CloseOptions.timeout(CLOSE_TIMEOUT)
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
  }
}
