package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.ServingEvent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.apache.avro.specific.SpecificRecord;

/** One thing for the judge to take: a pane, or a serving event or decision. Immutable. */
sealed interface JudgeStep {

  /** Its place among all steps. */
  StepOrder order();

  /** Bytes that {@link #decode} reads. */
  byte[] encode();

  /** A complete pane of a deployment. */
  record Pane(long micros, MergedPane pane) implements JudgeStep {
    @Override
    public StepOrder order() {
      StepOrder.Rank rank =
          pane.kind() == PaneKind.SCORE ? StepOrder.Rank.SCORE : StepOrder.Rank.LATENCY;
      return new StepOrder(micros, rank, pane.deployment(), "");
    }

    @Override
    public byte[] encode() {
      return joined(PANE, micros, pane.encode());
    }
  }

  /**
   * Something that happened or was decided.
   *
   * @param micros when it counts, which is later than it happened when it came late
   * @param event a serving event, a decision, or an evaluation of a deployment
   */
  record Happening(long micros, SpecificRecord event) implements JudgeStep {
    @Override
    public StepOrder order() {
      return new StepOrder(micros, StepOrder.Rank.EVENT, deploymentOf(event), idOf(event));
    }

    @Override
    public byte[] encode() {
      return joined(EVENT, micros, EventCodec.encode(event));
    }

    /** Deployment of a serving event, decision or evaluation. */
    static String deploymentOf(SpecificRecord event) {
      if (event instanceof EvalResult eval) {
        return Objects.requireNonNull(eval.getDeployment(), "deployment of an evaluation");
      }
      return event instanceof Decision decision
          ? decision.getDeployment()
          : ((ServingEvent) event).getDeployment();
    }

    /** What tells it from others of its deployment: its own id, behind what it is. */
    static String idOf(SpecificRecord event) {
      if (event instanceof EvalResult eval) {
        return "eval/" + eval.getEvalId();
      }
      return event instanceof Decision decision
          ? "decision/" + decision.getDecisionId()
          : "event/" + ((ServingEvent) event).getEventId();
    }
  }

  /** First byte of an encoded {@link Pane}. */
  byte PANE = 1;

  /** First byte of an encoded {@link Happening}. */
  byte EVENT = 2;

  private static byte[] joined(byte tag, long micros, byte[] content) {
    return ByteBuffer.allocate(1 + Long.BYTES + content.length)
        .put(tag)
        .putLong(micros)
        .put(content)
        .array();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException when the bytes are no step
   */
  static JudgeStep decode(byte[] encoded) {
    ByteBuffer head = ByteBuffer.wrap(encoded);
    byte tag = head.get();
    long micros = head.getLong();
    byte[] content = Arrays.copyOfRange(encoded, head.position(), encoded.length);
    return switch (tag) {
      case PANE -> new Pane(micros, MergedPane.decode(content));
      case EVENT -> new Happening(micros, EventCodec.decode(content));
      default ->
          throw new IllegalArgumentException(
              "step of kind " + tag + ": must be " + PANE + " or " + EVENT);
    };
  }
}
