package io.servedrift.monitors.topology;

import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.PaneSink;
import io.servedrift.monitors.pane.PartitionAggregator;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Feeds one task's records to its {@link PartitionAggregator} and carries its state through commits
 * and restarts.
 */
final class PaneProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  private final StageParts parts;
  private @Nullable Task task;

  PaneProcessor(StageParts parts) {
    this.parts = parts;
  }

  @Override
  public void init(ProcessorContext<byte[], byte[]> context) {
    task = new Task(context);
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    Task current = task;
    if (current == null) {
      throw new IllegalStateException("process before init");
    }
    current.process(record);
  }

  @Override
  public void close() {
    if (task != null) {
      task.aggregator.close();
      parts.clocks().remove(task.clockName);
    }
  }

  /** One assigned partition: from {@code init} to {@code close}. */
  private final class Task implements PaneSink {
    private final ProcessorContext<byte[], byte[]> context;
    private final TaskInput input;
    private final PartitionAggregator aggregator;
    private final String clockName;

    /** Meanings sent already: once per task and id, not once per request. */
    private final Set<String> registered = Collections.newSetFromMap(new Recent<>());

    /** Minute of the last heartbeat passed on, by deployment. */
    private final Map<String, Instant> heartbeats = new Recent<>();

    Task(ProcessorContext<byte[], byte[]> context) {
      int partition = context.taskId().partition();
      this.context = context;
      this.input = new TaskInput(context, parts, PaneTopology.DEAD_LETTERS_SINK);
      this.clockName = parts.topics().requests() + "-" + partition;
      this.aggregator =
          new PartitionAggregator(
              partition,
              parts.partitions(),
              parts.settings(),
              parts.layouts(),
              this,
              parts.tally(),
              true);
      KeyValueStore<Long, byte[]> arrivals = context.getStateStore(PaneTopology.ARRIVALS_STORE);
      aggregator.restore(TaskInput.contentOf(arrivals));
      CommitHook hook = context.getStateStore(PaneTopology.COMMIT_HOOK);
      hook.beforeCommit(
          () -> {
            aggregator.drain().forEach(chunk -> arrivals.put(chunk.number(), chunk.bytes()));
            aggregator.obsolete().forEach(arrivals::delete);
          });
    }

    void process(Record<byte[], byte[]> record) {
      input.next(record);
      byte[] payload = record.value();
      Reading reading = parts.reader().read(payload);
      if (reading instanceof Reading.Rejected rejected) {
        input.putAside(payload, rejected, input.origin());
      } else if (reading instanceof Reading.Accepted accepted) {
        parts.tally().add("unknown_fields", accepted.unknownFields());
        parts.tally().add("cache_conflicts", accepted.cacheConflicts());
        if (accepted.event() instanceof Heartbeat heartbeat) {
          heartbeat(heartbeat);
        }
        for (ConfigRecord config : accepted.registrations()) {
          String id = RecordRouting.keyFor(config);
          if (registered.add(id)) {
            forward(id, config, record.timestamp(), PaneTopology.CONFIGS_SINK);
          }
        }
        boolean request = input.topic().equals(parts.topics().requests());
        aggregator.accept(
            request ? Channel.REQUESTS : Channel.SCORES, accepted.event(), input.origin(), payload);
        long clock = aggregator.clockMicros(Channel.REQUESTS);
        if (clock != Long.MIN_VALUE) {
          parts.clocks().set(clockName, clock);
        }
      }
    }

    /** Passes one on per minute and deployment: enough to know that a silent deployment lives. */
    private void heartbeat(Heartbeat heartbeat) {
      Instant minute = heartbeat.getAt().truncatedTo(ChronoUnit.MINUTES);
      long clock = aggregator.clockMicros(Channel.REQUESTS);
      boolean fastClock =
          clock == Long.MIN_VALUE
              || heartbeat
                  .getAt()
                  .isAfter(
                      Instant.EPOCH
                          .plus(clock, ChronoUnit.MICROS)
                          .plus(parts.settings().futureLimit()));
      if (!fastClock && !minute.equals(heartbeats.put(heartbeat.getDeployment(), minute))) {
        forward(
            heartbeat.getDeployment(),
            heartbeat,
            millis(heartbeat.getAt()),
            PaneTopology.HEARTBEATS_SINK);
      }
    }

    @Override
    public void pane(PaneSummary summary) {
      LatencyPanes.of(summary).ifPresent(parts.latencies());
      forward(summary.getDeployment(), summary, millis(summary.getEnd()), PaneTopology.PANES_SINK);
    }

    @Override
    public void watermark(Watermark watermark) {
      forward(
          null, watermark, millis(watermark.getLatencyClosedThrough()), PaneTopology.PANES_SINK);
    }

    @Override
    public void correction(Correction correction) {
      forward(
          correction.getDeployment(),
          correction,
          millis(correction.getCountsAt()),
          PaneTopology.PANES_SINK);
    }

    @Override
    public void rejected(
        Reading.Rejected why, String origin, byte @Nullable [] payload, long eventMicros) {
      input.putAside(payload, why, origin, Math.floorDiv(eventMicros, 1000));
    }

    private void forward(@Nullable String key, SpecificRecord record, long millis, String sink) {
      byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
      context.forward(
          new Record<byte @Nullable [], byte[]>(
              keyBytes, EventCodec.encode(record), input.stamp(millis)),
          sink);
    }

    private static long millis(Instant instant) {
      return instant.toEpochMilli();
    }
  }

  /** The last few thousand keys that were put. */
  private static final class Recent<V> extends LinkedHashMap<String, V> {
    private static final int MOST = 4096;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
      return size() > MOST;
    }
  }
}
