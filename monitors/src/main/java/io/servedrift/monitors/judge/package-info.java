/**
 * The judge: panes and serving events in event-time order in, findings out. Learns baselines, runs
 * the detectors, asks for the cause, and keeps the life of every finding. Called by the streaming
 * topology, by replay and by tests. May import {@code attribution}, {@code detection}, {@code
 * baseline}, {@code policy}, {@code pane} and {@code stats}; no Kafka, no clock.
 */
@NullMarked
package io.servedrift.monitors.judge;

import org.jspecify.annotations.NullMarked;
