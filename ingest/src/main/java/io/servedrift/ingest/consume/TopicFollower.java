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
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Follows a topic and publishes the events of its records, at least once each: an offset is
 * committed only when the broker has what was made of the records before it, or when they wait for
 * a partner and the commit says so. What is read again after a crash has the same ids, and the
 * monitor drops it. All partitions are read here, as the partner of a record may stand in any; the
 * group only keeps the places. Not thread-safe.
 */
public final class TopicFollower implements Following {
  static final String EMPTY = "a record without a value";
  static final String UNNAMED =
      "a record that waited for its partner at the last stop, beyond what a place has room for:"
          + " it is lost";

  private static final int MOST_POLLS = 25;

  private final SourceTopic source;
  private final TopicReader reader;
  private final @Nullable Adapter adapter;
  private final Delivery delivery;

  private TopicFollower(
      SourceTopic source,
      TopicReader reader,
      @Nullable Adapter adapter,
      EventSink sink,
      Clock clock) {
    this.source = source;
    this.reader = reader;
    this.adapter = adapter;
    this.delivery =
        new Delivery(sink, clock, line -> source.topic() + "-" + line.file() + "@" + line.number());
  }

  /**
   * Connects, and takes up the places of the group.
   *
   * @param adapter of the format; null for records of the contract
   * @throws BrokerUnreachableException when no broker of the source answers, or none can be
   *     connected to with these settings
   * @throws UnfitSourceException when there is no such topic, or the group is not ours to use
   * @throws KafkaException when access is refused
   */
  public static TopicFollower open(
      SourceTopic source, @Nullable Adapter adapter, EventSink sink, Clock clock)
      throws UnfitSourceException {
    SourceGroup.requireUnshared(source);
    TopicReader reader = new TopicReader(source, clock);
    TopicFollower follower = new TopicFollower(source, reader, adapter, sink, clock);
    try {
      for (long i = reader.begin(); i > 0; i--) {
        follower.delivery.note(UNNAMED);
      }
      follower.pass();
      reader.commit(adapter, true);
    } catch (UnfitSourceException | RuntimeException e) {
      follower.close();
      throw e;
    }
    return follower;
  }

  @Override
  public void run(BooleanSupplier stopped, Runnable pause) throws UnfitSourceException {
    while (!stopped.getAsBoolean()) {
      step(stopped, pause);
    }
    if (delivery.settle(stopped, pause)) {
      reader.commit(adapter, true);
    }
    if (adapter != null) {
      // What waits is read again at the next start; here it is only counted.
      adapter.end(delivery);
    }
  }

  /** One look at the topic. */
  void step(BooleanSupplier stopped, Runnable pause) throws UnfitSourceException {
    int waiting = adapter == null ? 0 : adapter.waiting();
    List<ConsumerRecord<byte[], byte[]>> records = reader.poll(TopicReader.POLL, waiting);
    for (int polls = 1; !records.isEmpty(); polls++) {
      records.forEach(this::take);
      records =
          polls < MOST_POLLS
              ? reader.poll(Duration.ZERO, adapter == null ? 0 : adapter.waiting())
              : List.of();
    }
    reader.unread().forEach(this::reject);
    reader.look();
    pass();
    if (delivery.settle(stopped, pause)) {
      reader.commit(adapter, false);
    }
  }

  /** The time passes by what was read, not by what records say of it. */
  private void pass() throws UnfitSourceException {
    if (adapter != null) {
      adapter.pass(reader.readUpTo(), delivery);
      adapter.require();
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
    byte[] content = RecordLine.of(record, source.cloudEvents());
    SourceLine line =
        new SourceLine(
            content == null ? value : content,
            record.partition(),
            record.offset(),
            reader.came(record));
    if (content == null) {
      delivery.skip(EMPTY, line);
    } else if (adapter == null) {
      delivery.contract(line);
    } else {
      adapter.take(line, delivery);
    }
  }

  private void reject(UnreadRecord record) {
    delivery.line();
    delivery.reject(
        RejectReason.BAD_VALUE.code(),
        List.of(new Problem("(record)", record.why(), "one that the client can read")),
        new SourceLine(new byte[0], record.partition().partition(), record.offset()));
  }

  @Override
  public long lines() {
    return delivery.lines();
  }

  @Override
  public long behind() {
    return reader.behind();
  }

  @Override
  public FollowCounts counts() {
    return delivery.counts();
  }

  @Override
  public void close() {
    reader.close();
  }
}
