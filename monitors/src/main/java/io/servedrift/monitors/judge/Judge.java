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
public final class Judge {
  private final Output output;

  /** What comes out, in order. */
  public interface Output {
    /** A finding that opened, changed its verdict, or closed. */
    void finding(Finding finding);
  }

  public Judge(Output output) {
    this.output = output;
  }

  /** Takes the next pane of a deployment. */
  public void pane(MergedPane pane) {}

  /** Takes a serving event. */
  public void event(ServingEvent event) {}

  /** Takes a decision of a person or a gate. */
  public void decision(Decision decision) {}
}
