package io.servedrift.monitors.topology;

import io.servedrift.monitors.pane.DeploymentAggregator;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.MalformedEventException;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/** Feeds the panes of one task to its {@link DeploymentAggregator} and writes windows. */
final class JudgeProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  private final Topics topics;
  private final PaneSettings settings;
  private final EventReader reader;
  private final boolean rawDeadLetters;
  private final Tally tally;

  private @Nullable ProcessorContext<byte[], byte[]> context;
  private @Nullable DeploymentAggregator aggregator;

  JudgeProcessor(
      Topics topics,
      PaneSettings settings,
      EventReader reader,
      boolean rawDeadLetters,
      Tally tally) {
    this.topics = topics;
    this.settings = settings;
    this.reader = reader;
    this.rawDeadLetters = rawDeadLetters;
    this.tally = tally;
  }

  @Override
  public void init(ProcessorContext<byte[], byte[]> processorContext) {
    this.context = processorContext;
    KeyValueStore<String, byte[]> store =
        processorContext.getStateStore(JudgeTopology.JOURNAL_STORE);
    DeploymentAggregator own =
        new DeploymentAggregator(
            settings, new Forwarder(processorContext), new StoreJournal(store), tally);
    SortedMap<String, byte[]> stored = new TreeMap<>();
    try (KeyValueIterator<String, byte[]> all = store.all()) {
      while (all.hasNext()) {
        KeyValue<String, byte[]> entry = all.next();
        stored.put(entry.key, entry.value);
      }
    }
    own.restore(stored);
    this.aggregator = own;
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    ProcessorContext<byte[], byte[]> to = context;
    DeploymentAggregator own = aggregator;
    if (to == null || own == null) {
      throw new IllegalStateException("process before init");
    }
    RecordMetadata place = to.recordMetadata().orElseThrow();
    String origin = place.topic() + "-" + place.partition() + "@" + place.offset();
    byte[] payload = record.value();
    if (place.topic().equals(topics.panes())) {
      pane(own, to, origin, payload, record.timestamp());
    } else {
      servingEvent(to, origin, payload, record.timestamp());
    }
  }

  /**
   * Panes are written by stage 1 only; something else on their topic is a dead letter, like
   * anywhere.
   */
  private void pane(
      DeploymentAggregator own,
      ProcessorContext<byte[], byte[]> to,
      String origin,
      byte[] payload,
      long timestamp) {
    try {
      own.accept(EventCodec.decode(payload));
    } catch (MalformedEventException | IllegalArgumentException e) {
      reject(
          to,
          RejectReason.WRONG_TOPIC.code(),
          new Problem("(record)", String.valueOf(e.getMessage()), "what stage 1 writes"),
          origin,
          payload,
          timestamp);
    }
  }

  private void servingEvent(
      ProcessorContext<byte[], byte[]> to, String origin, byte[] payload, long timestamp) {
    Reading reading = reader.read(payload);
    if (reading instanceof Reading.Rejected rejected) {
      deadLetter(to, rejected, origin, payload, timestamp);
      return;
    }
    SpecificRecord event = ((Reading.Accepted) reading).event();
    if (event instanceof ServingEvent) {
      tally.count("serving_events");
    } else if (event instanceof Decision) {
      tally.count("decisions");
    } else if (!(event instanceof Tick)) {
      reject(
          to,
          RejectReason.WRONG_TOPIC.code(),
          new Problem("type", event.getSchema().getName(), "serving_event, decision or tick"),
          origin,
          payload,
          timestamp);
    }
  }

  private void reject(
      ProcessorContext<byte[], byte[]> to,
      String reason,
      Problem problem,
      String origin,
      byte[] payload,
      long timestamp) {
    deadLetter(to, new Reading.Rejected(reason, List.of(problem)), origin, payload, timestamp);
  }

  private void deadLetter(
      ProcessorContext<byte[], byte[]> to,
      Reading.Rejected why,
      String origin,
      byte[] payload,
      long timestamp) {
    tally.count("dead_letters_" + why.reason());
    long at = Math.max(0, timestamp);
    DeadLetter letter =
        DeadLetters.of(payload, why, origin, Instant.ofEpochMilli(at), rawDeadLetters);
    to.forward(
        new Record<byte @Nullable [], byte[]>(null, EventCodec.encode(letter), at),
        JudgeTopology.DEAD_LETTERS_SINK);
  }

  /** The journal as a state store with a changelog. */
  private record StoreJournal(KeyValueStore<String, byte[]> store) implements StateJournal {
    @Override
    public void put(String key, Supplier<byte[]> value) {
      store.put(key, value.get());
    }

    @Override
    public void delete(String key) {
      store.delete(key);
    }
  }

  /**
   * Sends windows and corrections to their topic. Merged panes stay inside: the judge of shifts
   * reads them.
   */
  private record Forwarder(ProcessorContext<byte[], byte[]> to)
      implements DeploymentAggregator.Output {
    @Override
    public void pane(MergedPane pane) {}

    @Override
    public void window(WindowSummary window) {
      toWindows(window.getDeployment(), window, window.getEnd());
    }

    @Override
    public void correction(Correction correction) {
      toWindows(correction.getDeployment(), correction, correction.getCountsAt());
    }

    private void toWindows(String deployment, SpecificRecord record, Instant at) {
      to.forward(
          new Record<>(
              deployment.getBytes(StandardCharsets.UTF_8),
              EventCodec.encode(record),
              Math.max(0, at.toEpochMilli())),
          JudgeTopology.WINDOWS_SINK);
    }
  }
}
