package io.servedrift.monitors.topology;

import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.PaneSink;
import io.servedrift.monitors.pane.PartitionAggregator;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Feeds one task's records to its {@link PartitionAggregator} and carries its state through commits
 * and restarts.
 */
final class PaneProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  private final Topics topics;
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final EventReader reader;
  private final int partitions;
  private final boolean rawDeadLetters;
  private final Tally tally;
  private final PartitionClocks clocks;

  private @Nullable ProcessorContext<byte[], byte[]> context;
  private @Nullable PartitionAggregator aggregator;

  PaneProcessor(
      Topics topics,
      PaneSettings settings,
      MetricLayouts layouts,
      EventReader reader,
      int partitions,
      boolean rawDeadLetters,
      Tally tally,
      PartitionClocks clocks) {
    this.topics = topics;
    this.settings = settings;
    this.layouts = layouts;
    this.reader = reader;
    this.partitions = partitions;
    this.rawDeadLetters = rawDeadLetters;
    this.tally = tally;
    this.clocks = clocks;
  }

  @Override
  public void init(ProcessorContext<byte[], byte[]> processorContext) {
    this.context = processorContext;
    PartitionAggregator own =
        new PartitionAggregator(
            processorContext.taskId().partition(),
            partitions,
            settings,
            layouts,
            new Forwarder(processorContext),
            tally,
            true);
    this.aggregator = own;
    KeyValueStore<Long, byte[]> arrivals =
        processorContext.getStateStore(PaneTopology.ARRIVALS_STORE);
    SortedMap<Long, byte[]> stored = new TreeMap<>();
    try (KeyValueIterator<Long, byte[]> all = arrivals.all()) {
      while (all.hasNext()) {
        KeyValue<Long, byte[]> entry = all.next();
        stored.put(entry.key, entry.value);
      }
    }
    own.restore(stored);
    CommitHook hook = processorContext.getStateStore(PaneTopology.COMMIT_HOOK);
    hook.beforeCommit(
        () -> {
          own.drain().forEach(chunk -> arrivals.put(chunk.number(), chunk.bytes()));
          own.obsolete().forEach(arrivals::delete);
        });
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    ProcessorContext<byte[], byte[]> to = context;
    PartitionAggregator own = aggregator;
    if (to == null || own == null) {
      throw new IllegalStateException("process before init");
    }
    RecordMetadata place = to.recordMetadata().orElseThrow();
    String origin = place.topic() + "-" + place.partition() + "@" + place.offset();
    byte[] payload = record.value();
    Reading reading = reader.read(payload);
    if (reading instanceof Reading.Rejected rejected) {
      tally.count("dead_letters_" + rejected.reason());
      DeadLetter letter =
          DeadLetters.of(
              payload,
              rejected,
              origin,
              Instant.ofEpochMilli(Math.max(0, record.timestamp())),
              rawDeadLetters);
      to.forward(
          new Record<>(record.key(), EventCodec.encode(letter), Math.max(0, record.timestamp())),
          PaneTopology.DEAD_LETTERS_SINK);
      return;
    }
    Reading.Accepted accepted = (Reading.Accepted) reading;
    tally.add("unknown_fields", accepted.unknownFields());
    tally.add("cache_conflicts", accepted.cacheConflicts());
    for (ConfigRecord config : accepted.registrations()) {
      to.forward(
          new Record<>(key(config), EventCodec.encode(config), Math.max(0, record.timestamp())),
          PaneTopology.CONFIGS_SINK);
    }
    Channel channel = place.topic().equals(topics.requests()) ? Channel.REQUESTS : Channel.SCORES;
    own.accept(channel, accepted.event(), origin, payload);
    long clock = own.clockMicros(Channel.REQUESTS);
    if (clock != Long.MIN_VALUE) {
      clocks.set(clockName(to), clock);
    }
  }

  private String clockName(ProcessorContext<byte[], byte[]> of) {
    return topics.requests() + "-" + of.taskId().partition();
  }

  @Override
  public void close() {
    ProcessorContext<byte[], byte[]> of = context;
    if (of != null) {
      clocks.remove(clockName(of));
    }
  }

  private static byte[] key(SpecificRecord event) {
    return RecordRouting.keyFor(event).getBytes(StandardCharsets.UTF_8);
  }

  /** Sends what the aggregator decides to the sinks. */
  private final class Forwarder implements PaneSink {
    private final ProcessorContext<byte[], byte[]> to;

    Forwarder(ProcessorContext<byte[], byte[]> to) {
      this.to = to;
    }

    @Override
    public void pane(PaneSummary summary) {
      toPanes(summary.getDeployment(), summary, summary.getEnd());
    }

    @Override
    public void watermark(Watermark watermark) {
      to.forward(
          new Record<byte @Nullable [], byte[]>(
              null, EventCodec.encode(watermark), millis(watermark.getLatencyClosedThrough())),
          PaneTopology.PANES_SINK);
    }

    @Override
    public void correction(Correction correction) {
      toPanes(correction.getDeployment(), correction, correction.getCountsAt());
    }

    private void toPanes(String deployment, SpecificRecord record, Instant at) {
      to.forward(
          new Record<>(
              deployment.getBytes(StandardCharsets.UTF_8), EventCodec.encode(record), millis(at)),
          PaneTopology.PANES_SINK);
    }

    @Override
    public void rejected(
        Reading.Rejected why, String origin, byte @Nullable [] payload, long eventMicros) {
      tally.count("dead_letters_" + why.reason());
      DeadLetter letter =
          DeadLetters.of(payload, why, origin, instant(eventMicros), rawDeadLetters);
      to.forward(
          new Record<byte @Nullable [], byte[]>(
              null, EventCodec.encode(letter), millis(letter.getAt())),
          PaneTopology.DEAD_LETTERS_SINK);
    }

    private Instant instant(long micros) {
      return Instant.ofEpochMilli(Math.max(0, Math.floorDiv(micros, 1000)));
    }

    private long millis(Instant instant) {
      return Math.max(0, instant.toEpochMilli());
    }
  }
}
