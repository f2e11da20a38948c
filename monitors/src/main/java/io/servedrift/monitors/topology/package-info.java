/**
 * The streaming shell around the functional core: two Kafka Streams topologies, the writer of
 * ticks, start and stop. The only packages that know Kafka Streams. Called by the command line; may
 * import {@code judge}, {@code pane}, {@code schemas} and Kafka.
 */
@NullMarked
package io.servedrift.monitors.topology;

import org.jspecify.annotations.NullMarked;
