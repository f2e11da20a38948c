package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;
import java.util.function.Consumer;

/**
 * What the steps of some deployments are given to, in order; the {@link Judge}. Its findings must
 * be a function of the steps, those of a deployment of its own steps alone.
 */
public interface StepTaker {
  /** Takes the next pane of a deployment. */
  void pane(MergedPane pane);

  /** Takes a serving event. */
  void event(ServingEvent event);

  /** Takes a decision of a person or a gate. */
  void decision(Decision decision);

  /** Takes the result of an evaluation, one that names its deployment. */
  void eval(EvalResult eval);

  /** All that is known of a deployment, as bytes that {@link #restore} reads. */
  byte[] checkpoint(String deployment);

  /**
   * Brings an unknown deployment to the state of a checkpoint.
   *
   * @throws IllegalArgumentException when the bytes are no checkpoint of this version
   */
  void restore(String deployment, byte[] checkpoint);

  /** Forgets all that is known of a deployment; nothing when it is unknown. */
  void forget(String deployment);

  /** Makes one for a task or a replay. */
  interface Maker {
    /**
     * Makes a judge that knows nothing.
     *
     * @param findings where its findings go, in order
     * @param tally where to count
     */
    StepTaker make(Consumer<Finding> findings, Tally tally);
  }
}
