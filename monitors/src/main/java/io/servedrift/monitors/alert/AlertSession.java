package io.servedrift.monitors.alert;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.MalformedEventException;
import io.servedrift.schemas.avro.AlertState;
import io.servedrift.schemas.avro.Finding;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One membership in the consumer group of the forwarders, from joining to an error or the end.
 *
 * <p>Findings are keyed by deployment, so who owns a partition owns all alerts of its deployments.
 * What a batch of findings changes in the book, and how far the findings have been read, are
 * written in one transaction; only then is anything sent. So a process that takes over finds
 * exactly the alerts that follow from the findings before its first one, and one that has lost its
 * partitions without knowing cannot write any more. Not thread-safe; {@link #wakeUp} may be called
 * by any thread.
 */
final class AlertSession implements ConsumerRebalanceListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AlertSession.class);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration ASK = Duration.ofSeconds(10);

  /** A process that has died is replaced, and its open transaction ended, after this time. */
  private static final int DEAD_AFTER_MILLIS = 10_000;

  private final AlertForwarder.Options options;
  private final ForwarderCounters counters;
  private final Collection<ReplicaSender> senders;
  private final AlertBook book;
  private final AlertStateTopic stored;
  private final Consumer<byte[], byte[]> consumer;
  private final Producer<byte[], byte[]> producer;

  /** Ends of the partitions when they were assigned: before that, the latest is not known. */
  private final Map<TopicPartition, Long> targets = new HashMap<>();

  private int partitions;

  AlertSession(
      AlertForwarder.Options options,
      String transactionalId,
      ForwarderCounters counters,
      Collection<ReplicaSender> senders) {
    this.options = options;
    this.counters = counters;
    this.senders = senders;
    this.book = new AlertBook(options.timings(), options.links());
    this.stored = new AlertStateTopic(options.kafka(), options.topics().alerts());
    this.consumer = consumer(options);
    try {
      this.producer = producer(options, transactionalId);
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
  }

  private static Consumer<byte[], byte[]> consumer(AlertForwarder.Options options) {
    Map<String, Object> settings = new HashMap<>(options.kafka());
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "servedrift-alerts");
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, options.group());
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    // Who reads without the topology keeps to the protocol that these settings are of.
    settings.remove(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
    settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, DEAD_AFTER_MILLIS);
    settings.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, DEAD_AFTER_MILLIS / 5);
    settings.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static Producer<byte[], byte[]> producer(
      AlertForwarder.Options options, String transactionalId) {
    Map<String, Object> settings = new HashMap<>(options.kafka());
    settings.put(ProducerConfig.CLIENT_ID_CONFIG, "servedrift-alert-state");
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, DEAD_AFTER_MILLIS);
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Makes {@link #run} end with a {@code WakeupException}. */
  void wakeUp() {
    consumer.wakeup();
  }

  /**
   * Waits for the topics to exist.
   *
   * @return what is missing, empty when they are there
   */
  Optional<String> missingTopics() {
    for (String topic : List.of(options.topics().findings(), options.topics().alerts())) {
      List<PartitionInfo> found = consumer.partitionsFor(topic, ASK);
      if (found == null || found.isEmpty()) {
        return Optional.of("topic missing: " + topic);
      }
    }
    return Optional.empty();
  }

  /**
   * Reads findings and sends alerts until woken up.
   *
   * @param works told after each round
   */
  void run(Runnable works) {
    producer.initTransactions();
    consumer.subscribe(List.of(options.topics().findings()), this);
    Instant member = options.clock().instant();
    while (true) {
      int read = 0;
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        observe(record);
        read++;
      }
      Instant now = options.clock().instant();
      Optional<List<Condition>> conditions = options.conditions().get();
      conditions.ifPresent(current -> book.conditions(current, this::owns, now));
      book.expire(now);
      store(read > 0);
      boolean current = isCurrent();
      if (current) {
        Instant before = member;
        member = options.clock().instant();
        if (before.plusMillis(DEAD_AFTER_MILLIS).isBefore(member)) {
          // Suspended for so long that another may have taken over: then this is fenced.
          store(true);
        }
        List<AlertMessage> due = book.due(now);
        senders.forEach(sender -> sender.offer(due));
      }
      counters.working(
          current ? consumer.assignment().size() + " partitions" : "catching up", book.firing());
      works.run();
    }
  }

  private void observe(ConsumerRecord<byte[], byte[]> record) {
    byte @Nullable [] value = record.value();
    if (value == null) {
      return;
    }
    counters.read();
    try {
      SpecificRecord event = EventCodec.decode(value);
      if (event instanceof Finding finding) {
        book.observe(FindingView.of(finding, options.links()), options.clock().instant());
        return;
      }
      counters.unreadable(record.topic() + " holds a " + event.getSchema().getName());
    } catch (MalformedEventException | IllegalArgumentException e) {
      counters.unreadable(e.toString());
    }
  }

  /** Writes what has changed and how far was read, both or nothing. */
  private void store(boolean hasRead) {
    Map<AlertKey, Optional<AlertState>> changes = book.takeChanges();
    if (changes.isEmpty() && !hasRead) {
      return;
    }
    producer.beginTransaction();
    try {
      changes.forEach(
          (key, state) -> {
            Future<RecordMetadata> unused = producer.send(stored.record(key, state));
          });
      // Before the offsets: who takes over waits for the offsets, and then must see the records.
      producer.flush();
      Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
      consumer
          .assignment()
          .forEach(one -> offsets.put(one, new OffsetAndMetadata(consumer.position(one))));
      producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
      producer.commitTransaction();
    } catch (KafkaException e) {
      abort(e);
      throw e;
    }
  }

  private void abort(KafkaException cause) {
    try {
      producer.abortTransaction();
    } catch (KafkaException e) {
      // Fenced, or the broker is away: the broker ends the transaction when its time is over.
      cause.addSuppressed(e);
    }
  }

  private boolean isCurrent() {
    targets.entrySet().removeIf(target -> consumer.position(target.getKey()) >= target.getValue());
    return targets.isEmpty();
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> added) {
    partitions = consumer.partitionsFor(options.topics().findings(), ASK).size();
    if (added.isEmpty()) {
      return;
    }
    Predicate<String> taken = in(added);
    int loaded = 0;
    for (AlertState state : stored.read()) {
      try {
        if (taken.test(AlertKey.parse(state.getAlertKey()).deployment())) {
          book.load(state);
          loaded++;
        }
      } catch (IllegalArgumentException e) {
        LOG.warn("an alert that was stored is none of ours and is left out: {}", e.toString());
      }
    }
    targets.putAll(consumer.endOffsets(added, ASK));
    LOG.info("alerts: {} partitions taken over with {} alerts", added.size(), loaded);
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> gone) {
    targets.keySet().removeAll(gone);
    Collection<AlertKey> released = book.release(in(gone));
    senders.forEach(sender -> sender.withdraw(released));
  }

  private boolean owns(String deployment) {
    return partitions > 0 && in(consumer.assignment()).test(deployment);
  }

  /** Deployments whose findings are in these partitions: where the judge's producer puts them. */
  private Predicate<String> in(Collection<TopicPartition> those) {
    List<Integer> numbers = those.stream().map(TopicPartition::partition).toList();
    return deployment ->
        numbers.contains(
            Utils.toPositive(Utils.murmur2(deployment.getBytes(StandardCharsets.UTF_8)))
                % partitions);
  }

  @Override
  public void close() {
    Collection<AlertKey> released = book.release(all -> true);
    senders.forEach(sender -> sender.withdraw(released));
    producer.close(ASK);
    consumer.close(CloseOptions.timeout(ASK));
  }
}
