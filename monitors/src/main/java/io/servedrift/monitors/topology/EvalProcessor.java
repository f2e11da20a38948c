package io.servedrift.monitors.topology;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.EvalResult;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/**
 * Copies evaluations that name their deployment to the serving events of it, as they came. There
 * they have one place among all that the judge takes, live and in every replay; on a topic of their
 * own they would have none, as nothing tells how far that topic has come. Stateless but for the
 * context.
 */
final class EvalProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  private final StageParts parts;
  private @Nullable ProcessorContext<byte[], byte[]> context;
  private @Nullable TaskInput input;

  EvalProcessor(StageParts parts) {
    this.parts = parts;
  }

  @Override
  public void init(ProcessorContext<byte[], byte[]> given) {
    context = given;
    input = new TaskInput(given, parts, EvalTopology.DEAD_LETTERS_SINK);
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    ProcessorContext<byte[], byte[]> out = context;
    TaskInput in = input;
    if (out == null || in == null) {
      throw new IllegalStateException("process before init");
    }
    in.next(record);
    Reading reading = parts.reader().read(record.value());
    if (reading instanceof Reading.Rejected rejected) {
      in.putAside(record.value(), rejected, in.origin());
      return;
    }
    Reading.Accepted accepted = (Reading.Accepted) reading;
    for (ConfigRecord config : accepted.registrations()) {
      out.forward(
          new Record<>(
              RecordRouting.keyFor(config).getBytes(StandardCharsets.UTF_8),
              EventCodec.encode(config),
              record.timestamp()),
          EvalTopology.CONFIGS_SINK);
    }
    if (accepted.event() instanceof EvalResult eval && eval.getDeployment() != null) {
      out.forward(
          new Record<>(
              eval.getDeployment().getBytes(StandardCharsets.UTF_8),
              record.value(),
              record.timestamp()),
          EvalTopology.SERVING_EVENTS_SINK);
    }
  }
}
