package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ServingEvent;

/**
 * Judges the deployments of one task. Everything comes in the order that {@link JudgeSequencer}
 * makes, so the findings are a function of the records and not of the order in which topics were
 * read. Not thread-safe.
 */
public final class Judge implements StepTaker {
  private final Output output;

  /** What comes out, in order. */
  public interface Output {
    /** A finding that opened, changed its verdict, or closed. */
    void finding(Finding finding);
  }

  public Judge(Output output) {
    this.output = output;
  }

  @Override
  public void pane(MergedPane pane) {}

  @Override
  public void event(ServingEvent event) {}

  @Override
  public void decision(Decision decision) {}

  @Override
  public byte[] checkpoint(String deployment) {
    return new byte[0];
  }

  @Override
  public void restore(String deployment, byte[] checkpoint) {}
}
