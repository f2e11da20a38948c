/**
 * The replay shell around the functional core: the same classes as the live topology, fed from a
 * range of Kafka, from an archive of one, or from files. Called by the command line; may import
 * {@code judge}, {@code pane}, {@code archive}, {@code schemas} and the Kafka consumer. Touches no
 * live state.
 */
@NullMarked
package io.servedrift.monitors.replay;

import org.jspecify.annotations.NullMarked;
