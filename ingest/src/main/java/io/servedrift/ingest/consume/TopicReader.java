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
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CorruptRecordException;
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
  static final Duration POLL = Duration.ofMillis(250);
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final Duration BETWEEN_COMMITS = Duration.ofSeconds(5);
  private static final Duration BETWEEN_SEARCHES = Duration.ofMinutes(1);

  /** A group that commits nothing for a week is forgotten by the broker. */
  private static final Duration LONGEST_SILENCE = Duration.ofHours(1);

  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** Each may be large, and a small batch of a fetch large once it is unpacked. */
  private static final int MOST_RECORDS = 20;

  /** When more wait, no partition is read further than others. */
  private static final int MANY_WAIT = 5_000;

  private final SourceTopic source;
  private final Consumer<byte[], byte[]> consumer;
  private final Clock clock;
  private final TopicPlaces places = new TopicPlaces();
  private final ReadTime readTime = new ReadTime();
  private final TopicGaps gaps;
  private Map<TopicPartition, OffsetAndMetadata> committed = Map.of();
  private Instant committedAt = Instant.EPOCH;
  private Instant checkedAt = Instant.EPOCH;
  private Instant looked = Instant.EPOCH;
  private Instant searched = Instant.EPOCH;
  private boolean crowded;
  private long behind;

  /**
   * Connects lazily.
   *
   * @throws BrokerUnreachableException when the settings allow no connection
   * @throws UnfitSourceException when they are no settings
   */
  TopicReader(SourceTopic source, Clock clock) throws UnfitSourceException {
    this(source, connect(source), clock);
  }

  /** With a consumer that is closed here. */
  TopicReader(SourceTopic source, Consumer<byte[], byte[]> consumer, Clock clock) {
    this.source = source;
    this.consumer = consumer;
    this.gaps = new TopicGaps(consumer, places);
    this.clock = clock;
  }

  private static Consumer<byte[], byte[]> connect(SourceTopic source) throws UnfitSourceException {
    try {
      return new KafkaConsumer<>(
          settings(source), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    } catch (ConfigException e) {
      throw new UnfitSourceException("a property of its client cannot be used: " + e.getMessage());
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
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 32 << 20);
    settings.putAll(source.kafka());
    // Of the topology's consumers; this group has no members.
    settings.remove(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_RECORDS);
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, source.group());
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return settings;
  }

  /**
   * Takes up the places of the group.
   *
   * @return how many records waited at the last stop and are not named in the places
   * @throws BrokerUnreachableException when no broker answers
   * @throws UnfitSourceException when there is no such topic
   */
  long begin() throws UnfitSourceException {
    try {
      searched = clock.instant();
      Set<TopicPartition> found = partitions();
      if (found.isEmpty()) {
        throw new UnfitSourceException("there is no such topic");
      }
      return assign(found, source.fromEnd());
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

  private long assign(Set<TopicPartition> added, boolean fromEnd) {
    Map<TopicPartition, OffsetAndMetadata> committedBefore = consumer.committed(added, ANSWER);
    Map<TopicPartition, Long> start =
        fromEnd ? consumer.endOffsets(added, ANSWER) : consumer.beginningOffsets(added, ANSWER);
    Set<TopicPartition> all = new HashSet<>(consumer.assignment());
    all.addAll(added);
    consumer.assign(all);
    long unnamed = 0;
    for (TopicPartition partition : added) {
      OffsetAndMetadata known = committedBefore.get(partition);
      TopicPlace place =
          known == null ? TopicPlace.at(start.getOrDefault(partition, 0L)) : TopicPlace.of(known);
      places.begin(partition, place);
      consumer.seek(partition, place.offset());
      readTime.add(partition);
      if (place.unnamed() > 0) {
        unnamed += place.unnamed();
        LOG.warn(
            "{}: {} records that waited for their partner at the last stop are lost",
            partition,
            place.unnamed());
      }
    }
    return unnamed;
  }

  /**
   * Records that were not read before the restart, or waited then; few at a time, as they may be
   * large.
   *
   * @param wait for them
   * @param waiting how many records wait for their partner: when they are many, partitions that are
   *     read further than others stand still until those have come up
   */
  List<ConsumerRecord<byte[], byte[]>> poll(Duration wait, int waiting) {
    hold(waiting);
    List<ConsumerRecord<byte[], byte[]>> taken = new ArrayList<>();
    ConsumerRecords<byte[], byte[]> records = records(wait);
    Instant now = clock.instant();
    for (TopicPartition partition : records.partitions()) {
      long oldest = Long.MAX_VALUE;
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        oldest = Math.min(oldest, record.timestamp());
        if (!places.isDone(partition, record.offset())) {
          taken.add(record);
        }
      }
      readTime.read(partition, oldest, now);
    }
    return taken;
  }

  private void hold(int waiting) {
    Set<TopicPartition> ahead = waiting > MANY_WAIT ? readTime.ahead() : Set.of();
    Set<TopicPartition> paused = consumer.paused();
    if (!paused.equals(ahead)) {
      consumer.resume(paused);
      consumer.pause(ahead);
    }
  }

  /** When a record came, by the clock that tells {@link #readUpTo}. */
  Instant came(ConsumerRecord<byte[], byte[]> record) {
    return readTime.came(
        new TopicPartition(record.topic(), record.partition()),
        record.timestamp(),
        clock.instant());
  }

  /** The records since the last call that could not be read, and were passed over. */
  List<UnreadRecord> unread() {
    return gaps.unread();
  }

  /** The time up to which everything has been read. */
  Instant readUpTo() {
    return readTime.now();
  }

  private ConsumerRecords<byte[], byte[]> records(Duration wait) {
    try {
      return consumer.poll(wait);
    } catch (OffsetOutOfRangeException e) {
      gaps.goOn(e);
    } catch (ApiException e) {
      if (!(e instanceof CorruptRecordException)) {
        throw e;
      }
      gaps.passOver(e);
    } catch (KafkaException e) {
      gaps.passOver(e);
    }
    return ConsumerRecords.empty();
  }

  /** How many records were left to be read at the last look. */
  long behind() {
    return behind;
  }

  /** Where nothing is left to be read now, the time has come up to now. */
  void look() {
    Instant now = clock.instant();
    if (looked.plus(BETWEEN_LOOKS).isAfter(now)) {
      return;
    }
    looked = now;
    try {
      long left = 0;
      for (Map.Entry<TopicPartition, Long> end :
          consumer.endOffsets(consumer.assignment(), BETWEEN_LOOKS).entrySet()) {
        long missing = end.getValue() - consumer.position(end.getKey(), BETWEEN_LOOKS);
        if (missing <= 0) {
          readTime.atEnd(end.getKey(), now);
        }
        left += Math.max(0, missing);
      }
      behind = left;
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
    if (!atOnce && checkedAt.plus(BETWEEN_COMMITS).isAfter(now)) {
      return;
    }
    checkedAt = now;
    try {
      Map<TopicPartition, OffsetAndMetadata> due = due(adapter);
      if (due.equals(committed) && committedAt.plus(LONGEST_SILENCE).isAfter(now)) {
        return;
      }
      while (!isTaken(due)) {
        due = due(adapter);
      }
      committed = due;
      committedAt = now;
    } catch (CommitFailedException e) {
      // Who joined since SourceGroup looked, or may not be seen; the broker refused the commit.
      throw new UnfitSourceException(
          SourceGroup.shared(source.group(), "")
              + " (told by the broker's refusal to take a place; none was changed)");
    } catch (RetriableException e) {
      LOG.warn("{}: the place is not committed yet: {}", source.topic(), e.getMessage());
    }
  }

  /** False when less must be said, at once: of one partition it may be said already. */
  private boolean isTaken(Map<TopicPartition, OffsetAndMetadata> due) throws UnfitSourceException {
    try {
      consumer.commitSync(due, ANSWER);
      return true;
    } catch (OffsetMetadataTooLarge e) {
      if (!places.takeLess()) {
        throw new UnfitSourceException(
            "its broker takes no metadata with a commit: offset.metadata.max.bytes must be at"
                + " least 100");
      }
      return false;
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> due(@Nullable Adapter adapter) {
    Map<TopicPartition, Long> positions = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      positions.put(partition, consumer.position(partition, ANSWER));
    }
    Map<TopicPartition, OffsetAndMetadata> due = new HashMap<>();
    long unnamed = 0;
    for (Map.Entry<TopicPartition, TopicPlace> e : places.at(positions, adapter).entrySet()) {
      due.put(e.getKey(), e.getValue().toCommit());
      unnamed += e.getValue().unnamed();
    }
    if (unnamed > 0 && !crowded) {
      LOG.warn(
          "{}: more records wait for their partner than a place has room for: a kill would lose {}",
          source.topic(),
          unnamed);
    }
    crowded = unnamed > 0;
    return due;
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(BETWEEN_COMMITS));
  }
}
