package io.servedrift.ingest.files;

import io.servedrift.ingest.topics.BrokerUnreachableException;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventType;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.Tick;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Writes history from files to Kafka, so that a monitor or a replay reads it like traffic that
 * happened: topics of their own with unlimited retention, events in order of event time with that
 * time as timestamp, and ticks that let event time pass, gaps included. Each run is one import; not
 * thread-safe.
 */
public final class HistoryImport {
  private final ImportSettings settings;
  private final Topics topics;
  private final Clock clock;

  /**
   * Prepares an import; nothing is connected yet.
   *
   * @param clock only compared with retention: topics must not delete the oldest event at once
   */
  public HistoryImport(ImportSettings settings, Clock clock) {
    this.settings = settings;
    this.topics = Topics.forHistory(settings.prefix());
    this.clock = clock;
  }

  /**
   * Reads the files and writes their events.
   *
   * @param deadLetters file for rows that cannot be used; null for the dead-letters topic
   * @return after everything is acknowledged by the broker
   * @throws FileReadException when a file cannot be read; no event was written then
   * @throws ImportException when the topics do not fit, or the broker refused a record
   * @throws BrokerUnreachableException when no broker answers
   */
  public ImportResult run(EventFiles files, @Nullable Path deadLetters, ImportProgress progress)
      throws FileReadException, ImportException {
    try {
      HistoryTopics history = new HistoryTopics(settings, topics, clock);
      history.prepare();
      try (HistoryProducer producer = new HistoryProducer(settings.kafka(), progress)) {
        return run(files, deadLetters, history, producer);
      }
    } catch (KafkaException e) {
      throw new ImportException("import failed: " + e.getMessage(), e);
    } catch (IOException | UncheckedIOException e) {
      throw new ImportException("import failed: " + e, e);
    }
  }

  private ImportResult run(
      EventFiles files, @Nullable Path deadLetters, HistoryTopics history, HistoryProducer producer)
      throws FileReadException, ImportException, IOException {
    try (SortedEvents events = read(files, deadLetters, producer)) {
      ReadSummary read = events.summary();
      Instant oldest = read.first();
      if (oldest != null) {
        history.requireRetention(oldest);
      }
      Pass pass = new Pass(producer);
      pass.write(events);
      producer.flush();
      return new ImportResult(
          settings.prefix(),
          read,
          Map.copyOf(pass.written),
          pass.registrations,
          pass.ticks,
          read.rejected());
    }
  }

  /** Letters are written while reading: there may be more of them than memory. */
  private SortedEvents read(EventFiles files, @Nullable Path deadLetters, HistoryProducer producer)
      throws FileReadException, ImportException, IOException {
    if (deadLetters != null) {
      try (DeadLetterFile file = new DeadLetterFile(deadLetters)) {
        return files.read(file);
      }
    }
    TopicLetters letters = new TopicLetters(producer);
    SortedEvents events = files.read(letters);
    if (letters.failure != null) {
      events.close();
      throw letters.failure;
    }
    return events;
  }

  /** Dead letters to their topic; after a failure the rest is dropped and the import ends. */
  private final class TopicLetters implements Consumer<DeadLetter> {
    private final HistoryProducer producer;
    private @Nullable ImportException failure;

    TopicLetters(HistoryProducer producer) {
      this.producer = producer;
    }

    @Override
    public void accept(DeadLetter letter) {
      if (failure != null) {
        return;
      }
      try {
        producer.send(
            RecordRouting.topicFor(letter, topics),
            RecordRouting.keyFor(letter),
            EventCodec.encode(letter),
            letter.getAt());
      } catch (ImportException e) {
        failure = e;
      }
    }
  }

  /** One pass over the sorted events. */
  private final class Pass {
    private final HistoryProducer producer;
    private final TickSchedule schedule = new TickSchedule(settings);
    private final Map<String, Integer> tickedPartitions = new LinkedHashMap<>();
    private final Map<String, Long> written = new TreeMap<>();
    private long registrations;
    private long ticks;

    Pass(HistoryProducer producer) {
      this.producer = producer;
      for (String topic : List.of(topics.requests(), topics.scores(), topics.servingEvents())) {
        tickedPartitions.put(topic, producer.partitions(topic));
      }
    }

    void write(SortedEvents events) throws ImportException {
      for (FileEvent item : events) {
        SpecificRecord event = item.event();
        String topic = RecordRouting.topicFor(event, topics);
        if (tickedPartitions.containsKey(topic)) {
          tick(schedule.before(item.at()));
        }
        producer.send(topic, RecordRouting.keyFor(event), item.encoded(), item.at());
        if (item.isRegistration()) {
          registrations++;
        } else {
          written.merge(EventType.of(event).word(), 1L, Long::sum);
        }
      }
      tick(schedule.end());
    }

    private void tick(List<Instant> due) throws ImportException {
      for (Instant at : due) {
        byte[] value = EventCodec.encode(new Tick(at));
        for (Map.Entry<String, Integer> topic : tickedPartitions.entrySet()) {
          for (int partition = 0; partition < topic.getValue(); partition++) {
            producer.sendTo(topic.getKey(), partition, value, at);
            ticks++;
          }
        }
      }
    }
  }
}
