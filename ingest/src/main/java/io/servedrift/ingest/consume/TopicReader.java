package io.servedrift.ingest.consume;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.topics.BrokerUnreachableException;
import java.io.Closeable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
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
 * Reads all partitions of a topic from where the group left them, and keeps the places there. Not
 * thread-safe.
 */
final class TopicReader implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);
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
  private final Clock clock;
  private final TopicPlaces places = new TopicPlaces();
  private final ReadTime readTime = new ReadTime();
  private Map<TopicPartition, OffsetAndMetadata> committed = Map.of();
  private Instant committedAt = Instant.EPOCH;
  private Instant looked = Instant.EPOCH;
  private Instant searched = Instant.EPOCH;

  /**
   * Connects lazily.
   *
   * @throws BrokerUnreachableException when the settings allow no connection
   */
  TopicReader(SourceTopic source, Clock clock) {
    this.source = source;
    this.consumer = connect(source);
    this.clock = clock;
  }

  private static Consumer<byte[], byte[]> connect(SourceTopic source) {
    try {
      return new KafkaConsumer<>(
          settings(source), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    } catch (KafkaException e) {
      String why = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
      throw new BrokerUnreachableException(
          "cannot connect to the source of " + named(source) + ": " + why, e);
    }
  }

  private static String named(SourceTopic source) {
    return source.topic()
        + " at "
        + source.kafka().getOrDefault(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "");
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

  /**
   * Takes up the places of the group.
   *
   * @throws BrokerUnreachableException when no broker answers
   * @throws UnfitSourceException when there is no such topic
   */
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
          "no answer within " + ANSWER.toSeconds() + " s from the source of " + named(source), e);
    }
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

  /** Records that were not read before the restart, or waited then; none when nothing came. */
  List<ConsumerRecord<byte[], byte[]>> poll() {
    List<ConsumerRecord<byte[], byte[]>> taken = new ArrayList<>();
    ConsumerRecords<byte[], byte[]> records = records();
    Instant now = clock.instant();
    for (TopicPartition partition : records.partitions()) {
      long oldest = Long.MAX_VALUE;
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        oldest = Math.min(oldest, record.timestamp());
        if (!places.isDone(partition, record.offset())) {
          taken.add(record);
        }
      }
      readTime.read(partition, Instant.ofEpochMilli(oldest), now);
    }
    look(now);
    return taken;
  }

  /** The time up to which everything has been read. */
  Instant readUpTo() {
    return readTime.now();
  }

  private ConsumerRecords<byte[], byte[]> records() {
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
                places.skip(partition, missing.getOrDefault(partition, 0L), first);
                consumer.seek(partition, first);
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

  /**
   * Commits the places, now and then.
   *
   * @param adapter that may hold records; null for those of the contract
   * @param atOnce whether it must not wait for its time
   * @throws UnfitSourceException when the group is not ours to use
   */
  void commit(@Nullable Adapter adapter, boolean atOnce) throws UnfitSourceException {
    Instant now = clock.instant();
    if (!atOnce && committedAt.plus(BETWEEN_COMMITS).isAfter(now)) {
      return;
    }
    try {
      Map<TopicPartition, OffsetAndMetadata> due = due(adapter, now);
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

  private Map<TopicPartition, OffsetAndMetadata> due(@Nullable Adapter adapter, Instant now) {
    Map<TopicPartition, Long> positions = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      positions.put(partition, consumer.position(partition, ANSWER));
    }
    Map<TopicPartition, OffsetAndMetadata> due = new HashMap<>();
    places.at(positions, adapter, now).forEach((p, place) -> due.put(p, place.toCommit()));
    return due;
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(BETWEEN_COMMITS));
  }
}
