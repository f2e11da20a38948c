package io.servedrift.ingest.consume;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.follow.Delivery;
import io.servedrift.ingest.follow.FollowCounts;
import io.servedrift.ingest.follow.Following;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.topics.BrokerUnreachableException;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.RejectReason;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a topic and publishes the events of its records, at least once each: an offset is
 * committed only when the broker has what was made of the records before it, or when they wait for
 * a partner and the commit says so. What is read again after a crash has the same ids, and the
 * monitor drops it. All partitions are read here, as the partner of a record may stand in any; the
 * group only keeps the places. Not thread-safe.
 */
public final class TopicFollower implements Following {
  static final String EMPTY = "a record without a value";

  private static final Logger LOG = LoggerFactory.getLogger(TopicFollower.class);
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final Duration BETWEEN_COMMITS = Duration.ofSeconds(5);
  private static final Duration BETWEEN_SEARCHES = Duration.ofMinutes(1);

  /** A group that commits nothing for a week is forgotten by the broker. */
  private static final Duration LONGEST_SILENCE = Duration.ofHours(1);

  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int MOST_RECORDS = 500;

  private final SourceTopic source;
  private final Consumer<byte[], byte[]> consumer;
  private final @Nullable Adapter adapter;
  private final Clock clock;
  private final Delivery delivery;
  private final TopicPlaces places = new TopicPlaces();
  private final ReadTime readTime = new ReadTime();
  private Map<TopicPartition, OffsetAndMetadata> committed = Map.of();
  private Instant committedAt = Instant.EPOCH;
  private Instant looked = Instant.EPOCH;
  private Instant searched = Instant.EPOCH;

  TopicFollower(
      SourceTopic source,
      Consumer<byte[], byte[]> consumer,
      @Nullable Adapter adapter,
      EventSink sink,
      Clock clock) {
    this.source = source;
    this.consumer = consumer;
    this.adapter = adapter;
    this.clock = clock;
    this.delivery =
        new Delivery(sink, clock, line -> source.topic() + "-" + line.file() + "@" + line.number());
  }

  /**
   * Connects, and takes up the places of the group.
   *
   * @param adapter of the format; null for records of the contract
   * @throws BrokerUnreachableException when no broker of the source answers
   * @throws UnfitSourceException when there is no such topic, or the group is not ours to use
   * @throws org.apache.kafka.common.KafkaException when the settings are wrong or access is refused
   */
  public static TopicFollower open(
      SourceTopic source, @Nullable Adapter adapter, EventSink sink, Clock clock)
      throws UnfitSourceException {
    TopicFollower follower =
        new TopicFollower(
            source,
            new KafkaConsumer<>(
                settings(source), new ByteArrayDeserializer(), new ByteArrayDeserializer()),
            adapter,
            sink,
            clock);
    try {
      follower.begin();
    } catch (UnfitSourceException | RuntimeException e) {
      follower.close();
      throw e;
    }
    return follower;
  }

  static Map<String, Object> settings(SourceTopic source) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "servedrift-import");
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_RECORDS);
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 32 << 20);
    settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 8 << 20);
    settings.putAll(source.kafka());
    // Of the topology's consumers; this group has no members.
    settings.remove(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, source.group());
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return settings;
  }

  void begin() throws UnfitSourceException {
    try {
      searched = clock.instant();
      Set<TopicPartition> found = partitions();
      if (found.isEmpty()) {
        throw new UnfitSourceException("there is no such topic");
      }
      assign(found, source.fromEnd());
    } catch (TimeoutException e) {
      throw new BrokerUnreachableException(
          "no answer within "
              + ANSWER.toSeconds()
              + " s from the source of "
              + source.topic()
              + " at "
              + source.kafka().getOrDefault(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, ""),
          e);
    }
    if (adapter != null) {
      // From now on the time passes by what was read, not by what records say.
      adapter.pass(readTime.now(), delivery);
    }
    commit(true);
  }

  private Set<TopicPartition> partitions() {
    Set<TopicPartition> found = new HashSet<>();
    List<PartitionInfo> infos = consumer.partitionsFor(source.topic(), ANSWER);
    if (infos != null) {
      infos.forEach(info -> found.add(new TopicPartition(info.topic(), info.partition())));
    }
    return found;
  }

  private void assign(Set<TopicPartition> added, boolean fromEnd) {
    Map<TopicPartition, OffsetAndMetadata> known = consumer.committed(added, ANSWER);
    Map<TopicPartition, Long> start =
        fromEnd ? consumer.endOffsets(added, ANSWER) : consumer.beginningOffsets(added, ANSWER);
    Set<TopicPartition> all = new HashSet<>(consumer.assignment());
    all.addAll(added);
    consumer.assign(all);
    for (TopicPartition partition : added) {
      OffsetAndMetadata place = known.get(partition);
      go(
          partition,
          place == null ? TopicPlace.at(start.getOrDefault(partition, 0L)) : TopicPlace.of(place));
      readTime.add(partition);
    }
  }

  private void go(TopicPartition partition, TopicPlace place) {
    places.begin(partition, place);
    consumer.seek(partition, place.offset());
  }

  @Override
  public void run(BooleanSupplier stopped, Runnable pause) throws UnfitSourceException {
    while (!stopped.getAsBoolean()) {
      step(stopped, pause);
    }
    if (delivery.settle(stopped, pause)) {
      commit(true);
    }
    if (adapter != null) {
      // What waits is read again at the next start; here it is only counted.
      adapter.end(delivery);
    }
  }

  /** One look at the topic. */
  void step(BooleanSupplier stopped, Runnable pause) throws UnfitSourceException {
    ConsumerRecords<byte[], byte[]> records = poll();
    Instant now = clock.instant();
    for (TopicPartition partition : records.partitions()) {
      long oldest = Long.MAX_VALUE;
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        oldest = Math.min(oldest, record.timestamp());
        if (!places.isDone(partition, record.offset())) {
          take(record);
        }
      }
      readTime.read(partition, Instant.ofEpochMilli(oldest), now);
    }
    look(now);
    if (adapter != null) {
      adapter.pass(readTime.now(), delivery);
      adapter.require();
    }
    if (delivery.settle(stopped, pause)) {
      commit(false);
    }
  }

  private ConsumerRecords<byte[], byte[]> poll() {
    try {
      return consumer.poll(POLL);
    } catch (OffsetOutOfRangeException e) {
      skipWhatIsGone(e.offsetOutOfRangePartitions());
      return ConsumerRecords.empty();
    }
  }

  private void skipWhatIsGone(Map<TopicPartition, Long> missing) {
    try {
      consumer
          .beginningOffsets(missing.keySet(), ANSWER)
          .forEach(
              (partition, first) -> {
                LOG.warn(
                    "{}: offset {} is there no more (retention, or the topic was made anew);"
                        + " reading goes on at {}, what was between is missing",
                    partition,
                    missing.get(partition),
                    first);
                go(partition, TopicPlace.at(first));
              });
    } catch (TimeoutException e) {
      LOG.warn("the first offsets of {} are not known: {}", source.topic(), e.getMessage());
    }
  }

  /** Where nothing is left to be read now, the time has come up to now. */
  private void look(Instant now) {
    if (looked.plus(BETWEEN_LOOKS).isAfter(now)) {
      return;
    }
    looked = now;
    try {
      consumer
          .endOffsets(consumer.assignment(), BETWEEN_LOOKS)
          .forEach(
              (partition, end) -> {
                if (consumer.position(partition, BETWEEN_LOOKS) >= end) {
                  readTime.atEnd(partition, now);
                }
              });
      if (!searched.plus(BETWEEN_SEARCHES).isAfter(now)) {
        searched = now;
        Set<TopicPartition> added = partitions();
        added.removeAll(consumer.assignment());
        if (!added.isEmpty()) {
          assign(added, false);
        }
      }
    } catch (RetriableException e) {
      LOG.debug("{}: no look at the end: {}", source.topic(), e.getMessage());
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    delivery.line();
    byte[] value = record.value() == null ? new byte[0] : record.value();
    long size = RecordLine.size(record);
    if (size > source.maxRecordBytes()) {
      delivery.reject(
          RejectReason.TOO_LARGE.code(),
          List.of(
              new Problem(
                  "(record)", size + " bytes", "at most " + source.maxRecordBytes() + " bytes")),
          new SourceLine(value, record.partition(), record.offset()));
      return;
    }
    byte[] content = RecordLine.of(record);
    SourceLine line =
        new SourceLine(content == null ? value : content, record.partition(), record.offset());
    if (content == null) {
      delivery.skip(EMPTY, line);
    } else if (adapter == null) {
      delivery.contract(line);
    } else {
      adapter.take(line, delivery);
    }
  }

  private void commit(boolean atOnce) throws UnfitSourceException {
    Instant now = clock.instant();
    if (!atOnce && committedAt.plus(BETWEEN_COMMITS).isAfter(now)) {
      return;
    }
    try {
      Map<TopicPartition, OffsetAndMetadata> due = due(now);
      if (due.equals(committed) && committedAt.plus(LONGEST_SILENCE).isAfter(now)) {
        return;
      }
      consumer.commitSync(due, ANSWER);
      committed = due;
    } catch (OffsetMetadataTooLarge e) {
      places.takeLess();
    } catch (CommitFailedException e) {
      throw new UnfitSourceException(
          "the consumer group "
              + source.group()
              + " has members that share the partitions among them; name another with"
              + " --source-group");
    } catch (RetriableException e) {
      LOG.warn("{}: the place is not committed yet: {}", source.topic(), e.getMessage());
    }
    committedAt = now;
  }

  private Map<TopicPartition, OffsetAndMetadata> due(Instant now) {
    Map<TopicPartition, Long> positions = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      positions.put(partition, consumer.position(partition, ANSWER));
    }
    Map<TopicPartition, OffsetAndMetadata> due = new HashMap<>();
    places.at(positions, adapter, now).forEach((p, place) -> due.put(p, place.toCommit()));
    return due;
  }

  @Override
  public FollowCounts counts() {
    return delivery.counts();
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(BETWEEN_COMMITS));
  }
}
