package io.servedrift.serving.engine;

import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.FaultListener;
import io.servedrift.serving.fault.Faults;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once that {@link Fault#PADDING_IN_MIXED_BATCHES} does nothing to a pipeline that pads every
 * prompt to one length: no row is shorter than another, and all attend to their own padding by
 * design. Thread-safe.
 */
final class PaddingWarning implements FaultListener {

  private static final Logger log = LoggerFactory.getLogger(PaddingWarning.class);

  private final AtomicBoolean said = new AtomicBoolean();

  private PaddingWarning() {}

  /**
   * Warns of such a pipeline when the fault is on, or when it is switched on for the first time.
   */
  static void watch(PipelineManifest manifest, Faults faults) {
    if (!manifest.padToMaxTokens()) {
      return;
    }
    PaddingWarning warning = new PaddingWarning();
    faults.addListener(warning);
    if (faults.on(Fault.PADDING_IN_MIXED_BATCHES)) {
      warning.faultChanged(Fault.PADDING_IN_MIXED_BATCHES, true);
    }
  }

  @Override
  public void faultChanged(Fault fault, boolean on) {
    if (fault == Fault.PADDING_IN_MIXED_BATCHES && on && !said.getAndSet(true)) {
      log.warn(
          "fault {} has no effect: the pipeline pads every prompt to one length"
              + " (pad_to_max_tokens)",
          fault.word());
    }
  }
}
