package io.servedrift.monitors.topology;

import io.servedrift.monitors.pane.DeploymentAggregator;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.MalformedEventException;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/** Feeds the panes of one task to its {@link DeploymentAggregator} and writes windows. */
final class JudgeProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  private final StageParts parts;
  private @Nullable Task task;

  JudgeProcessor(StageParts parts) {
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

  /** One assigned partition. */
  private final class Task implements DeploymentAggregator.Output {
    private final ProcessorContext<byte[], byte[]> context;
    private final TaskInput input;
    private final DeploymentAggregator aggregator;

    Task(ProcessorContext<byte[], byte[]> context) {
      this.context = context;
      this.input = new TaskInput(context, parts, JudgeTopology.DEAD_LETTERS_SINK);
      KeyValueStore<String, byte[]> store = context.getStateStore(JudgeTopology.JOURNAL_STORE);
      this.aggregator =
          new DeploymentAggregator(
              parts.settings(), parts.layouts(), this, new StoreJournal(store), parts.tally());
      aggregator.restore(TaskInput.contentOf(store));
    }

    void process(Record<byte[], byte[]> record) {
      input.next(record);
      if (input.topic().equals(parts.topics().panes())) {
        pane(record);
      } else {
        servingEvent(record);
      }
    }

    /** Only stage 1 writes panes; something else on their topic is a dead letter, like anywhere. */
    private void pane(Record<byte[], byte[]> record) {
      byte[] payload = record.value() == null ? new byte[0] : record.value();
      try {
        aggregator.accept(EventCodec.decode(payload));
      } catch (MalformedEventException | IllegalArgumentException e) {
        reject(record, "(record)", String.valueOf(e.getMessage()), "what stage 1 writes");
      }
    }

    private void servingEvent(Record<byte[], byte[]> record) {
      Reading reading = parts.reader().read(record.value());
      if (reading instanceof Reading.Rejected rejected) {
        input.putAside(record.value(), rejected, input.origin());
      } else if (reading instanceof Reading.Accepted accepted) {
        SpecificRecord event = accepted.event();
        if (event instanceof ServingEvent) {
          parts.tally().count("serving_events");
        } else if (event instanceof Decision) {
          parts.tally().count("decisions");
        } else if (!(event instanceof Tick)) {
          reject(record, "type", event.getSchema().getName(), "serving_event, decision or tick");
        }
      }
    }

    private void reject(Record<byte[], byte[]> record, String path, String value, String allowed) {
      Reading.Rejected why =
          new Reading.Rejected(
              RejectReason.WRONG_TOPIC.code(), List.of(new Problem(path, value, allowed)));
      input.putAside(record.value(), why, input.origin());
    }

    /** Merged panes stay inside: windows are what leaves. */
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
      context.forward(
          new Record<>(
              deployment.getBytes(StandardCharsets.UTF_8),
              EventCodec.encode(record),
              input.stamp(at.toEpochMilli())),
          JudgeTopology.WINDOWS_SINK);
    }
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
}
