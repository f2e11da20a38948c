package io.servedrift.monitors.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.servedrift.monitors.judge.CheckpointPart;
import io.servedrift.monitors.judge.JudgeStage;
import io.servedrift.monitors.ops.MonitorMetrics;
import io.servedrift.monitors.pane.UnusablePaneException;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.MalformedEventException;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds the panes and serving events of one task to its {@link JudgeStage}; writes windows, how far
 * they are closed (a tick), and findings.
 */
final class JudgeProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(JudgeProcessor.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();

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

  @Override
  public void close() {
    if (task != null) {
      task.stage.close();
    }
  }

  /** One assigned partition. */
  private final class Task implements JudgeStage.Output {
    private final ProcessorContext<byte[], byte[]> context;
    private final TaskInput input;
    private final JudgeStage stage;

    Task(ProcessorContext<byte[], byte[]> context) {
      this.context = context;
      this.input = new TaskInput(context, parts, JudgeTopology.DEAD_LETTERS_SINK);
      KeyValueStore<String, byte[]> store = context.getStateStore(JudgeTopology.JOURNAL_STORE);
      StoreJournal journal = new StoreJournal(store);
      this.stage =
          new JudgeStage(
              1, parts.settings(), parts.layouts(), parts.judges(), this, journal, parts.tally());
      stage.restore(journal.content());
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
      SpecificRecord decoded;
      try {
        decoded = EventCodec.decode(payload);
      } catch (MalformedEventException | IllegalArgumentException e) {
        putAside(record, e);
        return;
      }
      try {
        stage.pane(decoded);
      } catch (UnusablePaneException e) {
        putAside(record, e);
      }
    }

    private void putAside(Record<byte[], byte[]> record, Exception unusable) {
      Problem problem =
          new Problem("(record)", String.valueOf(unusable.getMessage()), "what stage 1 writes");
      Reading.Rejected why =
          new Reading.Rejected(RejectReason.WRONG_TOPIC.code(), List.of(problem));
      input.putAside(record.value(), why, input.origin());
    }

    private void servingEvent(Record<byte[], byte[]> record) {
      Reading reading = parts.reader().read(record.value());
      if (reading instanceof Reading.Rejected rejected) {
        input.putAside(record.value(), rejected, input.origin());
      } else if (reading instanceof Reading.Accepted accepted) {
        stage.event(0, accepted.event(), input.origin());
      }
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
      input.putAside(payload, why, origin, Math.floorDiv(eventMicros, 1000));
    }

    @Override
    public void window(WindowSummary window) {
      send(JudgeTopology.WINDOWS_SINK, window.getDeployment(), window, window.getEnd());
    }

    @Override
    public void windowsClosed(long micros) {
      Instant through = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
      Record<byte @Nullable [], byte[]> tick =
          new Record<>(
              null, EventCodec.encode(new Tick(through)), input.stamp(through.toEpochMilli()));
      WindowsPartitioner.send(tick.headers(), context.taskId().partition());
      context.forward(tick, JudgeTopology.WINDOWS_SINK);
    }

    @Override
    public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {
      long millis = input.stamp(Math.floorDiv(micros, 1000));
      for (CheckpointPart part : CheckpointPart.cut(deployment, micros, state.get())) {
        context.forward(
            new Record<>(part.key(), part.encode(), millis), JudgeTopology.CHECKPOINTS_SINK);
      }
    }

    @Override
    public void failed(String deployment, long micros, RuntimeException why) {
      LOG.atError()
          .setCause(why)
          .addKeyValue("deployment", deployment)
          .addKeyValue("at", Instant.EPOCH.plus(micros, ChronoUnit.MICROS))
          .log("the judge failed on this deployment, which begins anew; please report this defect");
    }

    @Override
    public void finding(Finding finding, long micros) {
      parts
          .tally()
          .count(
              MonitorMetrics.findingCounter(
                  finding.getMetric(),
                  finding.getSeverity().name().toLowerCase(Locale.ROOT),
                  causeOf(finding),
                  finding.getState().name().toLowerCase(Locale.ROOT)));
      Instant decided = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
      send(JudgeTopology.FINDINGS_SINK, finding.getDeployment(), finding, decided);
    }

    private static String causeOf(Finding finding) {
      try {
        return JSON.readTree(finding.getBody()).at("/verdict/cause").asText("unknown");
      } catch (JsonProcessingException e) {
        return "unknown";
      }
    }

    @Override
    public void correction(Correction correction) {
      send(
          JudgeTopology.WINDOWS_SINK,
          correction.getDeployment(),
          correction,
          correction.getCountsAt());
    }

    private void send(String sink, String deployment, SpecificRecord record, Instant at) {
      context.forward(
          new Record<>(
              deployment.getBytes(StandardCharsets.UTF_8),
              EventCodec.encode(record),
              input.stamp(at.toEpochMilli())),
          sink);
    }
  }
}
