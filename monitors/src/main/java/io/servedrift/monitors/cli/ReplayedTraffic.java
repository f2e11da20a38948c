package io.servedrift.monitors.cli;

import io.servedrift.ingest.files.ReadSummary;
import io.servedrift.monitors.pane.Tally;
import org.jspecify.annotations.Nullable;

/**
 * What was replayed.
 *
 * @param from where it came from, for messages
 * @param records events of files, or records of Kafka with ticks
 * @param judged requests and scores among them that lie in the range
 * @param read what became of the rows of files, null for Kafka and archives
 * @param counters what became of the records
 * @param names what the ids of configurations and models mean
 * @param partial whether it was interrupted
 */
record ReplayedTraffic(
    String from,
    long records,
    long judged,
    @Nullable ReadSummary read,
    Tally counters,
    ConfigNames names,
    boolean partial) {}
