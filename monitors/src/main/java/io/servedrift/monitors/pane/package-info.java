/**
 * From events to panes and windows: the half of the functional core that aggregates. Plain Java
 * without Kafka, clocks or threads: a {@link io.servedrift.monitors.pane.PartitionAggregator} turns
 * the records of one partition into pane summaries and watermarks, a {@link
 * io.servedrift.monitors.pane.PaneMerger} merges what the partitions saw, a {@link
 * io.servedrift.monitors.pane.WindowRoller} rolls panes into windows. The live topology and the
 * replay call the same classes. May import {@code schemas} and {@code stats}, nothing else of ours.
 */
@NullMarked
package io.servedrift.monitors.pane;

import org.jspecify.annotations.NullMarked;
