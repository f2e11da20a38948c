package io.servedrift.monitors.replay;

import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.Tick;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Feeds batches of records to the core: partitions side by side, then the judge with what they
 * gave, in their order. So the number of threads changes nothing. Used by one thread.
 */
final class RecordFeed implements AutoCloseable {
  private final ReplayCore core;
  private final Topics topics;
  private final EventReader reader;
  private final Tally tally;
  private final Predicate<SpecificRecord> filter;
  private final ReplayRange range;
  private final ReplayCore.Listener listener;
  private final Workers workers;
  private long records;
  private long inRange;

  RecordFeed(
      ReplayCore core,
      Topics topics,
      EventReader reader,
      Tally tally,
      Predicate<SpecificRecord> filter,
      ReplayRange range,
      ReplayCore.Listener listener,
      int threads) {
    this.core = core;
    this.topics = topics;
    this.reader = reader;
    this.tally = tally;
    this.filter = filter;
    this.range = range;
    this.listener = listener;
    this.workers = new Workers(threads);
  }

  /** Records taken so far. */
  long records() {
    return records;
  }

  /** Requests and scores of the range among them that pass the filter. */
  long inRange() {
    return inRange;
  }

  /** Takes records of several partitions, those of each in their order. */
  void take(Iterable<ConsumerRecord<byte[], byte[]>> batch) {
    SortedMap<Integer, List<ConsumerRecord<byte[], byte[]>>> byPartition = new TreeMap<>();
    List<ConsumerRecord<byte[], byte[]>> servingEvents = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : batch) {
      records++;
      (record.topic().equals(topics.servingEvents())
              ? servingEvents
              : byPartition.computeIfAbsent(record.partition(), p -> new ArrayList<>()))
          .add(record);
    }
    List<Callable<Long>> work = new ArrayList<>();
    byPartition.values().forEach(ofOne -> work.add(() -> collect(ofOne)));
    inRange += workers.sum(work);
    core.judge();
    servingEvents.forEach(this::takeServingEvent);
  }

  private long collect(List<ConsumerRecord<byte[], byte[]>> ofOnePartition) {
    long counted = 0;
    for (ConsumerRecord<byte[], byte[]> record : ofOnePartition) {
      counted += collect(record) ? 1 : 0;
    }
    return counted;
  }

  /** Takes a record of the requests or scores topic; whether it is one of the range. */
  private boolean collect(ConsumerRecord<byte[], byte[]> record) {
    Reading reading = reader.read(record.value());
    if (reading instanceof Reading.Rejected rejected) {
      tally.count("dead_letters_" + rejected.reason());
      core.collectRejected(record.partition(), rejected, origin(record), record.value());
      return false;
    }
    SpecificRecord event = ((Reading.Accepted) reading).event();
    if (isLeftOut(event)) {
      return false;
    }
    Channel channel = record.topic().equals(topics.requests()) ? Channel.REQUESTS : Channel.SCORES;
    core.collect(record.partition(), channel, event, origin(record), record.value());
    return (event instanceof RequestEvent || event instanceof ScoreEvent)
        && range.contains(Instant.ofEpochMilli(record.timestamp()));
  }

  private void takeServingEvent(ConsumerRecord<byte[], byte[]> record) {
    Reading reading = reader.read(record.value());
    if (reading instanceof Reading.Rejected rejected) {
      tally.count("dead_letters_" + rejected.reason());
      listener.rejected(rejected, origin(record), record.value());
    } else if (reading instanceof Reading.Accepted accepted && !isLeftOut(accepted.event())) {
      core.event(record.partition(), accepted.event(), origin(record));
    }
  }

  private boolean isLeftOut(SpecificRecord event) {
    boolean out = !(event instanceof Tick) && !filter.test(event);
    if (out) {
      tally.count("filtered_out");
    }
    return out;
  }

  private static String origin(ConsumerRecord<byte[], byte[]> record) {
    return record.topic() + "-" + record.partition() + "@" + record.offset();
  }

  @Override
  public void close() {
    workers.close();
  }
}
