package io.servedrift.serving.node;

import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.scheduler.BatchScheduler;
import java.util.function.Supplier;

/**
 * What can be looked at while the node runs. All parts are thread-safe.
 *
 * @param version of this program
 * @param deployment the logical service
 * @param node name of this process in it
 * @param journal the configuration in force
 * @param engine the engine and its cache
 * @param scheduler what runs and waits
 * @param faults faults on purpose
 * @param publisher what became of the events
 */
public record NodeState(
    String version,
    String deployment,
    String node,
    EventJournal journal,
    EngineControls engine,
    BatchScheduler scheduler,
    Faults faults,
    Supplier<PublisherMetrics> publisher) {}
