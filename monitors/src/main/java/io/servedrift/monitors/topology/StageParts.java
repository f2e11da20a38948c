package io.servedrift.monitors.topology;

import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.ops.LatencyPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.util.function.Consumer;

/**
 * What both stages are built from. Shared by all tasks of a process: everything in it is immutable
 * or thread-safe.
 *
 * @param judges makes the judge of a task
 * @param partitions how many partitions the requests topic has
 * @param rawDeadLetters whether what cannot be parsed is kept as it came
 * @param tally where to count
 * @param clocks told how far each partition has come
 * @param latencies told what each pane of latencies held when it closed
 */
record StageParts(
    Topics topics,
    PaneSettings settings,
    MetricLayouts layouts,
    StepTaker.Maker judges,
    EventReader reader,
    int partitions,
    boolean rawDeadLetters,
    Tally tally,
    PartitionClocks clocks,
    Consumer<LatencyPane> latencies) {}
