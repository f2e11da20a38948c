package io.servedrift.serving.node;

import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.scheduler.BatchScheduler;
import io.servedrift.serving.scheduler.BatchingMode;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Changes the node while it runs, and publishes each change: what happened as a serving event, a
 * new configuration or model with its fingerprint. Faults are published too, but are no part of the
 * fingerprint. Thread-safe: one change at a time.
 */
public final class NodeAdministration {

  private final String version;
  private final EngineControls engine;
  private final BatchScheduler scheduler;
  private final Faults faults;
  private final EventJournal journal;

  /**
   * Listens to the faults from now on.
   *
   * @param version of this program
   */
  public NodeAdministration(
      String version,
      EngineControls engine,
      BatchScheduler scheduler,
      Faults faults,
      EventJournal journal) {
    this.version = version;
    this.engine = engine;
    this.scheduler = scheduler;
    this.faults = faults;
    this.journal = journal;
    faults.addListener(this::faultChanged);
  }

  /** Empties the conditioning cache; returns how many entries it held. */
  public synchronized int flushCache() {
    int entries = engine.flushCache();
    journal.happened(
        ServingEventKind.CACHE_FLUSH, Map.of("reason", "admin", "entries", "" + entries));
    return entries;
  }

  /**
   * Other limits hold from the next step on.
   *
   * @param change makes them of those that hold; when it throws, nothing changes
   * @return those that hold now
   */
  public synchronized SchedulerLimits limits(UnaryOperator<SchedulerLimits> change) {
    SchedulerLimits before = scheduler.limits();
    SchedulerLimits next = change.apply(before);
    scheduler.setLimits(next);
    if (before.mode() != next.mode()) {
      journal.happened(
          ServingEventKind.BATCHING_MODE_CHANGED,
          Map.of("from", before.mode().word(), "to", next.mode().word()));
    }
    // What the change of the mode does to the limits in force is told by its own event.
    SchedulerLimits inNextMode = in(next.mode(), before);
    if (inNextMode.batchSize() != next.batchSize() || inNextMode.running() != next.running()) {
      journal.happened(ServingEventKind.BATCH_LIMIT_CHANGED, batchLimits(before, next));
    }
    if (before.maxWaiting() != next.maxWaiting()
        || inNextMode.preemptions() != next.preemptions()) {
      journal.happened(
          ServingEventKind.SCHEDULER_CHANGED,
          Map.of(
              "max_waiting", "" + next.maxWaiting(),
              "max_preemptions", "" + next.preemptions()));
    }
    journal.switchTo(resolve());
    return next;
  }

  private static SchedulerLimits in(BatchingMode mode, SchedulerLimits limits) {
    return new SchedulerLimits(
        mode,
        limits.maxBatchSize(),
        limits.maxRunning(),
        limits.maxWaiting(),
        limits.maxPreemptions());
  }

  private static Map<String, String> batchLimits(SchedulerLimits before, SchedulerLimits next) {
    Map<String, String> attributes = new HashMap<>();
    attributes.put("from_max_batch_size", "" + before.batchSize());
    attributes.put("to_max_batch_size", "" + next.batchSize());
    attributes.put("from_max_running", "" + before.running());
    attributes.put("to_max_running", "" + next.running());
    return attributes;
  }

  /** These faults are on from now on, and no others. */
  public synchronized void faults(Set<Fault> on) {
    faults.set(on);
  }

  private void faultChanged(Fault fault, boolean on) {
    journal.happened(
        ServingEventKind.OTHER,
        Map.of("kind", "fault", "fault", fault.word(), "state", on ? "on" : "off"));
  }

  /** Publishes the faults that were on from the start. */
  void publishFaults() {
    faults.active().forEach(fault -> faultChanged(fault, true));
  }

  /**
   * Loads weights anew.
   *
   * @throws IOException when that fails; what was loaded stays
   */
  public synchronized void reloadWeights(Path directory) throws IOException {
    engine.reloadWeights(directory);
    ModelCard model = engine.model();
    journal.happened(
        ServingEventKind.WEIGHTS_UPDATED,
        Map.of("revision", model.revision(), "weights_digest", model.weightsDigest()));
    journal.switchTo(resolve());
  }

  private ResolvedConfiguration resolve() {
    return new ResolvedConfiguration(version, engine.model(), engine.engine(), scheduler.limits());
  }
}
