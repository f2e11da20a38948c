package io.servedrift.serving.node;

import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.scheduler.BatchScheduler;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

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

  /** Other limits hold from the next step on. */
  public synchronized void limits(SchedulerLimits next) {
    SchedulerLimits before = scheduler.limits();
    scheduler.setLimits(next);
    if (before.mode() != next.mode()) {
      journal.happened(
          ServingEventKind.BATCHING_MODE_CHANGED,
          Map.of("from", before.mode().word(), "to", next.mode().word()));
    }
    if (before.maxBatchSize() != next.maxBatchSize() || before.maxRunning() != next.maxRunning()) {
      journal.happened(ServingEventKind.BATCH_LIMIT_CHANGED, batchLimits(before, next));
    }
    if (before.maxWaiting() != next.maxWaiting()
        || before.maxPreemptions() != next.maxPreemptions()) {
      journal.happened(
          ServingEventKind.SCHEDULER_CHANGED,
          Map.of(
              "max_waiting", "" + next.maxWaiting(),
              "max_preemptions", "" + next.maxPreemptions()));
    }
    journal.switchTo(resolve());
  }

  private static Map<String, String> batchLimits(SchedulerLimits before, SchedulerLimits next) {
    Map<String, String> attributes = new HashMap<>();
    attributes.put("from_max_batch_size", "" + before.maxBatchSize());
    attributes.put("to_max_batch_size", "" + next.maxBatchSize());
    attributes.put("from_max_running", "" + before.maxRunning());
    attributes.put("to_max_running", "" + next.maxRunning());
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
